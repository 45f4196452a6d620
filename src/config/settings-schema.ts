import { z } from "zod";
import { isCidrWithPort, isHostOfTls, isResolver } from "./address-text.ts";
import { bytes, duration, path, section, tcpListener, text, whole } from "./schema-parts.ts";
import { telegramSection, webhookSection } from "./surfaces-schema.ts";
import { webSection } from "./web-settings.ts";

const hostOfTls = text.refine(isHostOfTls, "must be HOST or HOST:PORT, in lower case and without wildcards");
const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be a name such as API_TOKEN");
const httpName = text.max(128).regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be a name such as Authorization");

/** A secret of the `.env` that the proxy adds to requests for one host. */
const credential = section({
  host: hostOfTls,
  secret: variable,
  header: httpName.optional(),
  query: httpName.optional(),
  template: text.max(1024, "is longer than 1024 characters").default("{secret}"),
  methods: z
    .array(text.regex(/^[A-Z]{1,32}$/, "must be a method such as GET"))
    .max(16)
    .default([]),
  paths: z
    .array(text.max(1024).regex(/^[/*]/, "must be a path such as /repos/*"))
    .max(64, "holds more than 64 paths")
    .default([]),
  env: variable.optional(),
}).refine(
  ({ header, query }) => (header === undefined) !== (query === undefined),
  "needs one of header and query, not both",
);

const hour = 3_600_000;
const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

/** `sallyport.yaml`: every key may be left out, and what is left out is safe. */
export const settingsSchema = section({
  listen: section({
    socket: path.optional(),
    tcp: tcpListener.optional(),
  }).prefault({}),
  image: text.max(512, "is longer than 512 characters").optional(),
  images: z
    .array(text.max(512, "is longer than 512 characters"), { error: "must be a list" })
    .max(256, "holds more than 256 images")
    .default([]),
  agents: z
    .record(
      text,
      section({
        image: text.max(512, "is longer than 512 characters").optional(),
        egress: z.enum(["enforce", "report", "open"]).default("enforce"),
      }),
      {
        error: "must be a section with a key for each agent",
      },
    )
    .default({}),
  sandboxes: section({
    most: whole(1, 4096).default(64),
    idle: duration(1000, 24 * hour).default(15 * 60_000),
    spare: z.boolean({ error: "must be true or false" }).default(true),
  }).prefault({}),
  runtime: z.enum(["auto", "docker", "podman", "runsc", "bubblewrap"]).default("auto"),
  limits: section({
    memory: bytes(16 * mebibyte, 1024 * gibibyte).default(2 * gibibyte),
    cpus: z
      .number({ error: "must be a number" })
      .min(0.1, "must be at least 0.1")
      .max(1024, "must be at most 1024")
      .default(2),
    pids: whole(16, 100_000).default(512),
    tmp: bytes(mebibyte, 1024 * gibibyte).default(512 * mebibyte),
    open_files: whole(64, 1_048_576).default(65_536),
    file_size: bytes(mebibyte, 1024 * gibibyte).default(16 * gibibyte),
    timeout: duration(1000, 24 * hour).default(600_000),
    output: bytes(1024, gibibyte).default(16 * mebibyte),
  }).prefault({}),
  egress: section({
    allow: z
      .array(text.refine(isCidrWithPort, "must be CIDR or CIDR:PORT, such as 10.1.0.0/16:8443"), {
        error: "must be a list",
      })
      .max(256, "holds more than 256 ranges")
      .default([]),
    resolver: text.refine(isResolver, "must be ADDRESS or ADDRESS:PORT").optional(),
    inspect: z.array(hostOfTls, { error: "must be a list" }).max(128, "holds more than 128 hosts").default([]),
    credentials: z.array(credential, { error: "must be a list" }).max(128, "holds more than 128").default([]),
    proxy: text
      .regex(/^http:\/\/(\[[0-9a-fA-F:.]+\]|[0-9.]+)(:[1-9]\d{0,4})?\/?$/, "must be http://ADDRESS:PORT")
      .optional(),
    proxy_login: variable.optional(),
    ech: z.enum(["refuse", "allow"]).default("refuse"),
    requests: whole(1, 1_000_000).default(1200),
    day: bytes(mebibyte, 1024 ** 2 * gibibyte).default(256 * gibibyte),
    ca: z.array(path, { error: "must be a list" }).max(16, "holds more than 16 files").default([]),
  }).prefault({}),
  files: section({
    size: bytes(1024, 1024 * gibibyte).default(16 * gibibyte),
    day: bytes(1024, 1024 ** 2 * gibibyte).default(256 * gibibyte),
    entries: whole(1, 10_000_000).default(250_000),
  }).prefault({}),
  trash: section({
    retention: duration(60_000, 365 * 24 * hour).default(7 * 24 * hour),
    size: bytes(mebibyte, 1024 ** 2 * gibibyte).default(10 * gibibyte),
  }).prefault({}),
  web: webSection,
  approvals: section({ deadline: duration(1000, 24 * hour).default(300_000) }).prefault({}),
  telegram: telegramSection.optional(),
  webhook: webhookSection.optional(),
  state: path.optional(),
  log: section({ level: z.enum(["trace", "debug", "info", "warn", "error", "fatal"]).default("info") }).prefault({}),
  audit: section({ synchronous: z.enum(["normal", "full"]).default("normal") }).prefault({}),
});
