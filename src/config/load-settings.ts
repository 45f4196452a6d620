import type { z } from "zod";
import { type AbsolutePath, parseAbsolutePath, resolvePath } from "../model/absolute-path.ts";
import type { SandboxLimits } from "../model/runtime.ts";
import { isLoopbackHost, parseHostPort } from "./address-text.ts";
import { checkSchema } from "./check-schema.ts";
import { ConfigProblem } from "./config-fault.ts";
import type { ConfigPaths } from "./config-paths.ts";
import { parseConfig } from "./parse-config.ts";
import { readConfigFile } from "./read-config-file.ts";
import type { tcpListener } from "./schema-parts.ts";
import { settingsSchema } from "./settings-schema.ts";
import { toWeb, type WebSettings, webFault } from "./web-settings.ts";
import type { telegramSection } from "./surfaces-schema.ts";

/** Everything that `sallyport.yaml` says, resolved. */
export interface Settings {
  /** Undefined: the default place in the runtime folder. */
  readonly socket: AbsolutePath | undefined;
  readonly tcp: TcpSettings | undefined;
  /** Undefined: the image that comes with Sallyport. */
  readonly image: string | undefined;
  /** Images that an agent may ask for by itself. */
  readonly images: readonly string[];
  /** The image of each agent that has its own. */
  readonly agentImages: ReadonlyMap<string, string>;
  readonly runtime: "auto" | "docker" | "podman" | "runsc" | "bubblewrap";
  /** How many sandboxes there may be, when an idle one is closed, and whether one is made ahead for the next session. */
  readonly sandboxes: { readonly most: number; readonly idleMs: number; readonly spare: boolean };
  readonly limits: SandboxLimits;
  /** Milliseconds that a command gets where it names no limit. */
  readonly timeoutMs: number;
  /** Output bytes that a command gets where it names no limit. */
  readonly outputBytes: number;
  /** `CIDR` or `CIDR:PORT` that the address guard lets through. */
  readonly egressAllow: readonly string[];
  /** `ADDRESS` or `ADDRESS:PORT`; undefined: the system's. */
  readonly resolver: string | undefined;
  /** `HOST` or `HOST:PORT` whose TLS ends at the proxy, so that rules see methods and paths. */
  readonly egressInspect: readonly string[];
  readonly egressCredentials: readonly CredentialSettings[];
  /** Files with PEM certificates that are trusted beside the usual ones. */
  readonly egressCa: readonly AbsolutePath[];
  /** `http://ADDRESS:PORT` of a proxy through which every connection goes; undefined: none. */
  readonly egressProxy: string | undefined;
  /** The line of the `.env` with `USER:PASSWORD` for that proxy; undefined: it wants none. */
  readonly egressProxyLogin: string | undefined;
  /** Whether TLS of a sandbox may begin with an encrypted ClientHello. */
  readonly egressEch: "refuse" | "allow";
  /** What one agent may do on the way out. */
  readonly egressLimits: { readonly requestsPerMinute: number; readonly bytesPerDay: number };
  /** What rules on the proxy do to an agent that is named: hold, only report, or leave names open. */
  readonly agentEgress: ReadonlyMap<string, EgressMode>;
  /** What the file service does for one agent at most. */
  readonly files: FileLimits;
  readonly trash: { readonly retentionMs: number; readonly maxBytes: number };
  /** Milliseconds until an unanswered question is a denial. */
  readonly approvalDeadlineMs: number;
  /** Undefined: no page. */
  readonly web: WebSettings | undefined;
  /** Undefined: no questions in Telegram. */
  readonly telegram: TelegramSettings | undefined;
  /** Undefined: no program is told of questions. */
  readonly webhook: WebhookSettings | undefined;
  readonly state: AbsolutePath;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
  /** `full`: every audit record is on the disk before anything acts, also through a power failure. */
  readonly auditSynchronous: "normal" | "full";
}

/** Bounds of the file service, the same for every agent. */
export interface FileLimits {
  /** Bytes of one file that is written. */
  readonly maxFileBytes: number;
  /** Bytes read and written in one day (UTC). */
  readonly maxDayBytes: number;
  /** Files and folders of one request. */
  readonly maxEntries: number;
}

/** `enforce`: rules hold. `report`: what they would refuse is logged and passes. `open`: what they would ask passes. */
export type EgressMode = "enforce" | "report" | "open";

/** A secret that the proxy adds to requests for one host. */
export interface CredentialSettings {
  /** `HOST` or `HOST:PORT`. */
  readonly host: string;
  /** Its name in the `.env`. */
  readonly secret: string;
  readonly place: { readonly kind: "header" | "query"; readonly name: string };
  /** Text with `{secret}` or `{basic:USER}` in it. */
  readonly template: string;
  /** Empty: any. */
  readonly methods: readonly string[];
  /** Empty: any. */
  readonly paths: readonly string[];
  /** Variable in the sandbox that holds the placeholder. */
  readonly env: string;
}

/** Where questions go in Telegram. The token is `TELEGRAM_BOT_TOKEN` of the `.env`. */
export interface TelegramSettings {
  /** Numbers of the chats that see questions. */
  readonly chats: readonly number[];
  /** Numbers of the users who may answer. */
  readonly admins: readonly number[];
  /** Without a slash at its end. */
  readonly apiRoot: string;
}

/** A program that is told of questions and answers for people. The secret is `SALLYPORT_WEBHOOK_SECRET` of the `.env`. */
export interface WebhookSettings {
  readonly url: string;
  /** Where it sends answers; undefined: it sends none. */
  readonly listen: TcpSettings | undefined;
  /** Identifiers of the people who may answer. */
  readonly admins: readonly string[];
}

/** A TCP listener. */
export interface TcpSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: AbsolutePath; readonly keyFile: AbsolutePath } | undefined;
}

/**
 * Loads the settings; without a file, the defaults. What this accepts, `serve` accepts.
 * @throws ConfigProblem with every fault and its place.
 */
export function loadSettings(paths: ConfigPaths, home: AbsolutePath): Settings {
  const found = readConfigFile(paths.settings);
  if (found === undefined) return resolve(settingsSchema.parse({}), paths, home);
  const parsed = parseConfig(found);
  const value =
    parsed.value === null || parsed.value === undefined
      ? settingsSchema.parse({})
      : checkSchema(settingsSchema, parsed);
  const listeners = [
    { at: ["listen", "tcp"], listener: value.listen.tcp },
    { at: ["webhook", "listen"], listener: value.webhook?.listen },
  ];
  for (const { at, listener } of listeners) {
    const host = listener === undefined ? undefined : parseHostPort(listener.address)?.host;
    if (listener === undefined || listener.tls !== undefined || host === undefined || isLoopbackHost(host)) continue;
    const message = `${listener.address} can be reached from elsewhere: set ${at.join(".")}.tls, or listen on 127.0.0.1`;
    throw new ConfigProblem([parsed.fault([...at, "address"], message)]);
  }
  const fault = webFault(value.web);
  if (fault !== undefined) throw new ConfigProblem([parsed.fault(["web", "listen"], fault)]);
  return resolve(value, paths, home);
}

function resolve(value: z.output<typeof settingsSchema>, paths: ConfigPaths, home: AbsolutePath): Settings {
  const { listen, limits, egress, files, trash, telegram, webhook } = value;
  return {
    socket: listen.socket === undefined ? undefined : toPath(listen.socket, home),
    tcp: toListener(listen.tcp, home),
    image: value.image,
    images: value.images,
    agentImages: new Map(
      Object.entries(value.agents).flatMap(([agent, { image }]) =>
        image === undefined ? [] : [[agent, image] as const],
      ),
    ),
    agentEgress: new Map(Object.entries(value.agents).map(([agent, { egress: mode }]) => [agent, mode] as const)),
    sandboxes: { most: value.sandboxes.most, idleMs: value.sandboxes.idle, spare: value.sandboxes.spare },
    runtime: value.runtime,
    limits: sandboxLimits(limits),
    timeoutMs: limits.timeout,
    outputBytes: limits.output,
    egressAllow: egress.allow,
    resolver: egress.resolver,
    egressInspect: egress.inspect,
    egressCredentials: egress.credentials.map(({ header, query, env, ...rest }) => ({
      ...rest,
      place: header === undefined ? { kind: "query", name: query ?? "" } : { kind: "header", name: header },
      env: env ?? rest.secret,
    })),
    egressProxy: egress.proxy,
    egressProxyLogin: egress.proxy_login,
    egressEch: egress.ech,
    egressLimits: { requestsPerMinute: egress.requests, bytesPerDay: egress.day },
    egressCa: egress.ca.map((file) => toPath(file, home)),
    files: { maxFileBytes: files.size, maxDayBytes: files.day, maxEntries: files.entries },
    trash: { retentionMs: trash.retention, maxBytes: trash.size },
    approvalDeadlineMs: value.approvals.deadline,
    web: toWeb(value.web, (file) => toPath(file, home)),
    telegram: telegram === undefined ? undefined : toTelegram(telegram),
    webhook: webhook === undefined ? undefined : { ...webhook, listen: toListener(webhook.listen, home) },
    state: value.state === undefined ? paths.state : toPath(value.state, home),
    logLevel: value.log.level,
    auditSynchronous: value.audit.synchronous,
  };
}

function sandboxLimits(limits: z.output<typeof settingsSchema>["limits"]): SandboxLimits {
  return {
    memoryBytes: limits.memory,
    cpus: limits.cpus,
    pids: limits.pids,
    tmpBytes: limits.tmp,
    openFiles: limits.open_files,
    fileBytes: limits.file_size,
  };
}

/** The limits of a sandbox where nobody has said anything. */
export const defaultLimits: SandboxLimits = sandboxLimits(settingsSchema.parse({}).limits);

function toTelegram({ chats, admins, api_root }: z.output<typeof telegramSection>): TelegramSettings {
  return { chats, admins, apiRoot: api_root.replace(/\/+$/, "") };
}

function toListener(value: z.output<typeof tcpListener> | undefined, home: AbsolutePath): TcpSettings | undefined {
  const address = value === undefined ? undefined : parseHostPort(value.address);
  if (value === undefined || address === undefined) return undefined;
  const { tls } = value;
  return {
    ...address,
    tls: tls === undefined ? undefined : { certFile: toPath(tls.cert, home), keyFile: toPath(tls.key, home) },
  };
}

function toPath(text: string, home: AbsolutePath): AbsolutePath {
  const path = text.startsWith("~/") ? resolvePath(home, text.slice(2)) : parseAbsolutePath(text);
  if (path === undefined) throw new ConfigProblem([{ file: text, line: 0, column: 0, message: "is no usable path" }]);
  return path;
}
