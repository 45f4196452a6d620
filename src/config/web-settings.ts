import { z } from "zod";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { isHostWithPort, isLoopbackHost, parseHostPort } from "./address-text.ts";
import { duration, path, section, text } from "./schema-parts.ts";

/** Where the page is served, and how long a browser stays logged in. */
export interface WebSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: AbsolutePath; readonly keyFile: AbsolutePath } | undefined;
  /** True where other machines may reach it. */
  readonly exposed: boolean;
  /** Further names by which browsers may call it. */
  readonly names: readonly string[];
  /** Milliseconds without a request after which a browser is logged out. */
  readonly idleMs: number;
  /** Milliseconds after which it is logged out in any case. */
  readonly longestMs: number;
}

const hour = 3_600_000;
const off = "off";

/** `web`: `off`, or a section. The page is on this machine alone unless `tls` and `exposed` are set. */
export const webSection = z
  .preprocess(
    (value) => (value === off ? { listen: off } : value),
    section({
      listen: text
        .refine(
          (value) => value === off || isHostWithPort(value),
          "must be HOST:PORT, such as 127.0.0.1:7444, or `off`",
        )
        .default("127.0.0.1:7444"),
      tls: section({ cert: path, key: path }).optional(),
      exposed: z.boolean({ error: "must be true or false" }).default(false),
      names: z
        .array(
          text.regex(
            /^[a-z0-9][a-z0-9.-]{0,252}$|^[0-9a-f:.]{2,45}$/,
            "must be a host name or an address in lower case",
          ),
          { error: "must be a list" },
        )
        .max(16, "holds more than 16 names")
        .default([]),
      idle: duration(60_000, 7 * 24 * hour).default(12 * hour),
      lasts: duration(60_000, 30 * 24 * hour).default(7 * 24 * hour),
    }),
  )
  .prefault({});

/** What is wrong with an address beyond this machine; undefined where nothing is. */
export function webFault({ listen, tls, exposed }: z.output<typeof webSection>): string | undefined {
  const host = parseHostPort(listen)?.host;
  if (host === undefined || isLoopbackHost(host) || (tls !== undefined && exposed)) return undefined;
  return `${listen} can be reached from elsewhere: set web.tls and \`exposed: true\`, or listen on 127.0.0.1`;
}

/** The settings of a section; undefined where the page is off. */
export function toWeb(
  value: z.output<typeof webSection>,
  toPath: (text: string) => AbsolutePath,
): WebSettings | undefined {
  const address = parseHostPort(value.listen);
  if (address === undefined) return undefined;
  const { tls, exposed, names, idle, lasts } = value;
  return {
    ...address,
    tls: tls === undefined ? undefined : { certFile: toPath(tls.cert), keyFile: toPath(tls.key) },
    exposed,
    names,
    idleMs: idle,
    longestMs: lasts,
  };
}
