import { randomBytes } from "node:crypto";
import type { CredentialSettings, Settings } from "../config/load-settings.ts";
import { type Credential, echoesOf, renderCredential } from "../egress/intercepting/credential.ts";
import { type Authority, parseAuthority } from "../egress/proxying/authority.ts";
import type { Places } from "./places.ts";

/** Shorter values would strike ordinary text out. */
const shortestStruck = 6;
/** As many as the redactor takes. */
const mostStruck = 1000;

/** What is to be struck out of every text: the values of the `.env`, and what is sent upstream where that looks otherwise. */
export function secretTexts({ settings, secrets }: Places): readonly string[] {
  const rendered = settings.egressCredentials.map((each) => renderedWord(each, secrets));
  const texts = new Set([...rendered, ...secrets.values()].filter((text) => text.length >= shortestStruck));
  return [...texts].slice(0, mostStruck);
}

/** `{basic:USER}` gives text in which the secret's own Base64 need not be seen. */
function renderedWord(settings: CredentialSettings, secrets: ReadonlyMap<string, string>): string {
  const value = valueOf(settings, secrets);
  return /^\S+ (\S+)$/.exec(value)?.[1] ?? value;
}

function valueOf({ place, template, secret }: CredentialSettings, secrets: ReadonlyMap<string, string>): string {
  return renderCredential(place, template, secret, secrets.get(secret) ?? "");
}

/** The credentials that the settings bind to hosts. Two bindings of one secret and variable share a placeholder. @throws Problem `invalid_argument` */
export function credentialsOf(settings: Settings, secrets: ReadonlyMap<string, string>): readonly Credential[] {
  const placeholders = new Map<string, string>();
  return settings.egressCredentials.map((each) => {
    const { secret, place, methods, paths, env, host } = each;
    const placeholder = placeholders.get(env) ?? `sallyport-placeholder-${randomBytes(16).toString("hex")}`;
    placeholders.set(env, placeholder);
    const value = valueOf(each, secrets);
    return {
      secret,
      authority: authorityOfTls(host),
      methods,
      paths,
      place,
      value,
      echoes: echoesOf(value, secrets.get(secret) ?? ""),
      placeholder,
    };
  });
}

/** What every command has in its environment: placeholders by variable. */
export function placeholderVariables(settings: Settings, credentials: readonly Credential[]): Record<string, string> {
  return Object.fromEntries(
    settings.egressCredentials.map(({ env }, at) => [env, credentials[at]?.placeholder ?? ""] as const),
  );
}

/** `HOST` means port 443. @throws EgressProblem */
export function authorityOfTls(text: string): Authority {
  return parseAuthority(/:\d+$/.test(text.replace(/^\[[^\]]*\]/, "")) ? text : `${text}:443`);
}
