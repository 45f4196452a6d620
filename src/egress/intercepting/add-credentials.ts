import type { Field } from "../field.ts";
import type { Credential } from "./credential.ts";

/** Path and headers of a request as they go upstream. */
export interface Sent {
  readonly path: string;
  readonly fields: readonly Field[];
}

/** Puts the credentials into a request; what the client had in their places goes. */
export function addCredentials({ path, fields }: Sent, credentials: readonly Credential[]): Sent {
  let sent: Sent = { path, fields };
  for (const { place, value } of credentials)
    sent =
      place.kind === "header"
        ? { ...sent, fields: [...sent.fields.filter(([name]) => !isNamed(name, place.name)), [place.name, value]] }
        : { ...sent, path: withParameter(sent.path, place.name, value) };
  return sent;
}

function isNamed(name: string, wanted: string): boolean {
  return name.toLowerCase() === wanted.toLowerCase();
}

/** The other parameters stay as they were written: a signature may depend on it. */
function withParameter(path: string, name: string, value: string): string {
  const cut = path.indexOf("?");
  const plain = cut < 0 ? path : path.slice(0, cut);
  const kept = (cut < 0 ? "" : path.slice(cut + 1))
    .split("&")
    .filter((pair) => pair !== "" && ![...new URLSearchParams(pair).keys()].includes(name));
  return `${plain}?${[...kept, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join("&")}`;
}
