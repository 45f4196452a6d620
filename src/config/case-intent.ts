import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Capability } from "../model/effect.ts";
import type { Command, ExecIntent, Intent } from "../model/intent.ts";
import { invalid } from "../model/problem.ts";
import { type CaseSubject, type SubjectKey, subjectKeys } from "./case-subject.ts";

type Makers = {
  readonly [Key in SubjectKey]: (value: NonNullable<CaseSubject[Key]>, more: CaseSubject, cwd: AbsolutePath) => Intent;
};

/** The request that each subject stands for, as its RPC has it by default. */
const makers: Makers = {
  cmd: (text, { shell = "bash" }, cwd) => exec({ kind: "shell", shell, text }, cwd),
  argv: (argv, _more, cwd) => exec({ kind: "argv", argv }, cwd),
  read: (path) => ({ kind: "read", path, offset: 0, length: 0 }),
  stat: (path) => ({ kind: "stat", path }),
  list: (path) => ({ kind: "list", path, limit: 0 }),
  search: (path) => ({
    kind: "search",
    path,
    pattern: "",
    glob: "",
    limit: 0,
    ignoreCase: false,
    literal: false,
    includeHidden: false,
    includeIgnored: false,
    contextLines: 0,
  }),
  watch: (path) => ({ kind: "watch", path, includeIgnored: false }),
  download: (path) => ({ kind: "download", path, honorIgnoreFiles: false }),
  write: (path) => ({ kind: "write", path, disposition: "overwrite", makeParents: false, mode: 0o644 }),
  edit: (path) => ({ kind: "edit", path, change: "" }),
  upload: (path) => ({ kind: "upload", path, overwrite: true, makeParents: false }),
  remove: (path, { recursive = false }) => ({ kind: "remove", path, recursive }),
  move: ({ from, to }) => ({ kind: "move", from, to, overwrite: true }),
  copy: ({ from, to }, { recursive = false }) => ({ kind: "copy", from, to, overwrite: true, recursive }),
  mkdir: (path, { parents = false }) => ({ kind: "make-directory", path, parents, mode: 0o755 }),
  restore: ({ from, to }, { recursive = false }) => ({
    kind: "restore",
    id: "",
    path: to,
    original: from,
    folder: recursive,
  }),
  empty_trash: (paths) => ({ kind: "empty-trash", entries: paths.map((path) => ({ id: "", path, folder: true })) }),
  fetch: (url, { method = "GET" }) => ({
    kind: "fetch",
    url,
    method,
    headers: [],
    body: undefined,
    maxBytes: 0,
    timeoutMs: 0,
    hop: 0,
  }),
  connect: connection,
  web_search: use("web_search"),
  mcp: use("mcp"),
  subagent: use("subagent"),
  skill: use("skill"),
  plugin: use("plugin"),
  context: use("context"),
  diagnostics: use("diagnostics"),
};

/** The request that a case stands for. @throws Problem `invalid_argument` for a case without a subject */
export function caseIntent(subject: CaseSubject, cwd: AbsolutePath): Intent {
  const intent = subjectKeys.map((key) => made(key, subject[key], subject, cwd)).find((each) => each !== undefined);
  if (intent === undefined) throw invalid("cases", "a case without a subject");
  return intent;
}

/** What a case is called that has no name of its own. */
export function caseTitle(subject: CaseSubject): string {
  const value = subjectKeys.map((key) => subject[key]).find((each) => each !== undefined);
  if (value === undefined || typeof value === "string") return value ?? "";
  return "from" in value ? `${value.from} -> ${value.to}` : value.join(" ");
}

function made<Key extends SubjectKey>(
  key: Key,
  value: CaseSubject[Key],
  subject: CaseSubject,
  cwd: AbsolutePath,
): Intent | undefined {
  return value === undefined ? undefined : makers[key](value, subject, cwd);
}

function exec(command: Command, cwd: AbsolutePath): ExecIntent {
  const limits = { timeoutMs: 0, outputBytes: 0 };
  return { kind: "exec", command, cwd, env: {}, stdin: false, background: false, limits };
}

function use(capability: Capability): (name: string) => Intent {
  return (name) => ({ kind: "use", capability, name });
}

/** `HOST`, `HOST:PORT` or `[IPv6]:PORT` is a tunnel; the port is 443 where it is left out. A URL is one request that the proxy sees whole. */
function connection(text: string, { method = "GET" }: CaseSubject): Intent {
  const url = text.includes("://") ? URL.parse(text) : null;
  if (url !== null) {
    const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
    return { kind: "connect", host: url.hostname, port, via: "forward", method, url: text };
  }
  const { host = text, port = "443" } = /^(?<host>.*):(?<port>[^:\]]*)$/s.exec(text)?.groups ?? {};
  return { kind: "connect", host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port), via: "tunnel" };
}
