import { readFileSync } from "node:fs";
import { type Socket } from "node:net";
import type { Logger } from "pino";
import type { Surface } from "../clients/surface/surface.ts";
import type { SurfaceLog, SurfacePort } from "../clients/surface/surface-port.ts";
import { loadSettings, type Settings, type TcpSettings, type WebhookSettings } from "../config/load-settings.ts";
import type { AddressRules } from "../egress/address-rules.ts";
import { Problem } from "../model/problem.ts";
import type { HealthPart } from "../server/health.ts";
import { listenOnTcp } from "../server/listen/listen-on-tcp.ts";
import type { Approvals } from "../server/ports/people.ts";
import { wayOutOf } from "./egress-room.ts";
import { type Places, telegramToken, webhookSecret } from "./places.ts";
import { surfaceFetch } from "./surface-fetch.ts";
import { surfacePort } from "./surface-port.ts";

/** What surfaces inside the sidecar are made of. */
export interface SurfacesParts {
  readonly places: Places;
  readonly approvals: Approvals;
  readonly rules: AddressRules;
  readonly log: Logger;
}

/** Telegram and the webhook, as far as the settings want them. */
export interface Surfaces {
  /** `sallyport.telegram` and `sallyport.webhook`: not well while nobody can be reached by them. */
  readonly health: readonly HealthPart[];
  /** TCP ports that they listen on. */
  readonly ports: readonly number[];
  /** Never rejects; a second call changes nothing. */
  stop(): Promise<void>;
}

/** A key as long as what it makes (RFC 2104, section 3). */
const shortestSecret = 32;

/** Starts them. What they reach for may be away: that holds up nothing. @throws Problem for settings that cannot be had, such as a port in use; nothing runs then */
export async function startSurfaces(parts: SurfacesParts): Promise<Surfaces> {
  const { places, approvals, rules, log } = parts;
  const { settings, secrets } = places;
  const wayOut = { ...wayOutOf(places), rules };
  const now = (): Settings | undefined => currentSettings(places, log);
  const port = (channel: Surface["name"], isAdmin: (person: string) => boolean): SurfacePort =>
    surfacePort({ approvals, channel, isAdmin });
  const surfaces: Surface[] = [];
  const { telegram, webhook } = settings;
  // What can fail comes first: whatever runs would have to be stopped again.
  const secret = webhook === undefined ? "" : secretOf(secrets);
  const people = port("webhook", (person) => now()?.webhook?.admins.includes(person) === true);
  const toTelegram = telegram === undefined ? undefined : surfaceFetch(telegram.apiRoot, wayOut);
  const toWebhook = webhook === undefined ? undefined : surfaceFetch(webhook.url, wayOut);
  const endpoint = webhook?.listen === undefined ? undefined : await openEndpoint(webhook.listen, people, secret, log);
  if (telegram !== undefined && toTelegram !== undefined) {
    // Loaded only where it is used: most starts need no bot library.
    const { startTelegram } = await import("../clients/telegram/telegram-surface.ts");
    surfaces.push(
      startTelegram({
        port: port("telegram", (person) => now()?.telegram?.admins.some((id) => String(id) === person) === true),
        fetch: toTelegram,
        token: secrets.get(telegramToken) ?? "",
        apiRoot: telegram.apiRoot,
        chats: telegram.chats,
        currentChats: () => now()?.telegram?.chats ?? [],
        log,
      }),
    );
  }
  if (webhook !== undefined && toWebhook !== undefined) {
    const { startWebhook } = await import("../clients/webhook/webhook-surface.ts");
    surfaces.push(startWebhook({ port: people, fetch: toWebhook, url: webhook.url, secret, log }));
  }
  return {
    health: surfaces.map(({ name, state }) => ({
      name: `sallyport.${name}`,
      well: () => state.connected,
      follow: (changed, signal) => state.follow(changed, signal),
    })),
    ports: endpoint === undefined ? [] : [endpoint.port],
    async stop() {
      await Promise.all([endpoint?.close(), ...surfaces.splice(0).map((one) => one.stop())]);
    },
  };
}

/** The settings as they are in this moment; undefined, and nobody is an admin, while they cannot be read. */
function currentSettings({ config, home }: Places, log: SurfaceLog): Settings | undefined {
  try {
    return loadSettings(config, home);
  } catch (error) {
    log.warn({ err: error }, "the settings cannot be read: nobody answers in Telegram or by the webhook");
    return undefined;
  }
}

function secretOf(secrets: Places["secrets"]): string {
  const secret = secrets.get(webhookSecret) ?? "";
  if (secret.length >= shortestSecret) return secret;
  throw new Problem("failed_precondition", `${webhookSecret} is shorter than ${shortestSecret} characters`);
}

async function openEndpoint(
  { host, port, tls }: NonNullable<WebhookSettings["listen"]>,
  queue: SurfacePort,
  secret: string,
  log: SurfaceLog,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { createAnswerEndpoint } = await import("../clients/webhook/answer-endpoint.ts");
  const { createReplayGuard } = await import("../clients/webhook/replay-guard.ts");
  const endpoint = createAnswerEndpoint({
    port: queue,
    secret,
    guard: createReplayGuard(() => Date.now() / 1000),
    log,
    tls: tls === undefined ? undefined : pemOf(tls),
  });
  const accept = (socket: Socket): void => endpoint.accept(socket);
  const listening = await listenOnTcp(
    { host, port, authentication: true, ...(tls === undefined ? {} : { tls }) },
    accept,
  );
  let closing: Promise<void> | undefined;
  log.info({ address: listening.address, tls: tls !== undefined }, "the webhook takes answers");
  return {
    port: Number(/\d+$/.exec(listening.address)?.[0] ?? 0),
    close() {
      closing ??= (async () => {
        const closed = listening.stopAccepting();
        endpoint.close();
        await closed;
        listening.release();
      })();
      return closing;
    },
  };
}

function pemOf({ certFile, keyFile }: NonNullable<TcpSettings["tls"]>): {
  readonly cert: Buffer;
  readonly key: Buffer;
} {
  try {
    return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  } catch (cause) {
    throw new Problem("failed_precondition", `cannot read ${certFile} or ${keyFile}`, { cause });
  }
}
