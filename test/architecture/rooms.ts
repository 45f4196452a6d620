/** One room: what it may import from the house, and what from outside. The table is closed: what is not listed fails. */
export interface Room {
  readonly rooms: readonly string[];
  /** Packages and `node:` modules. */
  readonly outside: readonly string[];
}

/** Modules of Node that compute and touch nothing. */
const harmless = [
  "node:crypto",
  "node:path",
  "node:url",
  "node:util",
  "node:timers/promises",
  "node:events",
  "node:stream",
  "node:stream/promises",
  "node:stream/consumers",
  "node:buffer",
];
const store = ["node:sqlite", "node:fs", "node:fs/promises"];

/** Who may import whom (design, section 3). */
export const rooms: Readonly<Record<string, Room>> = {
  model: { rooms: [], outside: [] },
  wire: { rooms: [], outside: [] },
  gen: { rooms: [], outside: ["@bufbuild/protobuf"] },
  secrets: { rooms: ["model"], outside: [] },
  policy: { rooms: ["model"], outside: ["unbash", "ipaddr.js", "shell-quote"] },
  gate: { rooms: ["model"], outside: [] },
  sessions: { rooms: ["model"], outside: [...harmless, ...store] },
  approvals: { rooms: ["model", "secrets"], outside: [...harmless, ...store] },
  audit: { rooms: ["model", "secrets"], outside: [...harmless, ...store] },
  sandbox: {
    rooms: ["model", "wire"],
    outside: [
      ...harmless,
      "dockerode",
      "tar-stream",
      "node:child_process",
      "node:net",
      "node:tls",
      "node:http",
      "node:https",
      "node:fs",
      "node:fs/promises",
      "node:os",
    ],
  },
  files: {
    rooms: ["model"],
    outside: [
      ...harmless,
      "diff",
      "tar-stream",
      "@vscode/ripgrep",
      "node:child_process",
      "node:fs",
      "node:fs/promises",
      // The numbers of errors that libuv has no names for.
      "node:os",
    ],
  },
  egress: {
    rooms: ["model"],
    outside: [
      ...harmless,
      "undici",
      "ipaddr.js",
      "node:net",
      "node:tls",
      "node:dns",
      "node:dns/promises",
      "node:http",
      "node:zlib",
      "node:worker_threads",
      "turndown",
      "@joplin/turndown-plugin-gfm",
      "@mixmark-io/domino",
      "@peculiar/x509",
      "reflect-metadata",
    ],
  },
  config: {
    rooms: ["model", "policy"],
    outside: [...harmless, "yaml", "zod", "node:fs", "node:fs/promises", "node:os"],
  },
  server: {
    rooms: ["model", "gen"],
    outside: [
      ...harmless,
      "@grpc/grpc-js",
      "@connectrpc/connect",
      "@connectrpc/connect-node",
      "@bufbuild/protobuf",
      "pino",
      "node:fs",
      "node:fs/promises",
      "node:net",
      "node:http",
      "node:https",
      "node:sqlite",
    ],
  },
  clients: {
    rooms: ["gen"],
    outside: [
      ...harmless,
      "@grpc/grpc-js",
      "@bufbuild/protobuf",
      "commander",
      "@clack/prompts",
      "grammy",
      "@connectrpc/connect",
      "@connectrpc/connect-web",
      "preact",
      "@preact/signals",
      "node:net",
      "node:https",
      "node:http",
      "node:fs",
      "node:fs/promises",
      "node:os",
      "node:tty",
      "node:process",
      "node:readline",
    ],
  },
};

/** The folder with the adapters between rooms: it may import everything, and only the single files beside it import it. */
export const meetingRoom = "wiring";

/** Single files of `src/` where rooms meet. */
export const meetingPlaces: readonly string[] = ["main.ts", "build.ts", "batch.ts"];

/** Text that only the named places may hold: the calls that the promises rest on. */
export const reserved: readonly {
  readonly what: string;
  readonly pattern: RegExp;
  readonly places: readonly string[];
}[] = [
  {
    what: "issue permits",
    pattern: /\bPermit\s*\.\s*issue\b|\bPermit\s*\[/,
    places: ["model/permit.ts", "gate/admission.ts"],
  },
  {
    // Beside the dialler, the server looks whether somebody still listens on its own unix socket.
    what: "open outbound sockets",
    pattern:
      /import \{[^}]*\b(?:connect|createConnection)\b[^}]*\} from "node:(?:net|tls|http2)"|new (?:Socket|TLSSocket)\(|\b(?:net|tls)\.(?:connect|createConnection)\b/,
    places: ["egress/dial.ts", "server/listen/listen-on-socket.ts"],
  },
  {
    // `exchange` and `forward` speak over a socket that the dialler made; `attach` speaks to the container engine; `post` runs in a browser and speaks to
    // the server of its page, which the page's policy holds it to.
    what: "speak HTTP outwards",
    pattern:
      /import \{[^}]*\brequest\b[^}]*\} from "node:https?"|from "undici"|\bglobalThis\.fetch\b|[^.\w]await fetch\(/,
    places: [
      "egress/fetching/exchange.ts",
      "egress/proxying/forward.ts",
      "sandbox/attach.ts",
      "clients/web/page/post.ts",
    ],
  },
];
