import { resolve } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Command } from "commander";
import type { CheckSubjectSchema } from "../../gen/sallyport/v1/policy_pb.ts";
import { commandInit, type ExecCommand } from "../client/command-init.ts";
import { SallyportError } from "../client/sallyport-error.ts";

/** What is to be judged, as options say it. */
export interface SubjectOptions {
  readonly shell?: string;
  readonly read?: string;
  readonly write?: string;
  readonly edit?: string;
  readonly mv?: readonly string[];
  readonly cp?: readonly string[];
  readonly rm?: string;
  readonly mkdir?: string;
  readonly recursive?: boolean;
  readonly parents?: boolean;
  readonly fetch?: string;
  readonly connect?: string;
}

type Subject = MessageInitShape<typeof CheckSubjectSchema>;
type What = Subject["what"];

/** Adds the options that {@link subjectOf} reads. */
export function addSubjectOptions(command: Command): Command {
  return command
    .option("-c, --shell <text>", "shell text")
    .option("--read <path>", "reading a path")
    .option("--write <path>", "writing a path")
    .option("--edit <path>", "changing parts of a file")
    .option("--mv <paths...>", "renaming the first of two paths to the second")
    .option("--cp <paths...>", "copying the first of two paths to the second")
    .option("--rm <path>", "removing a path")
    .option("--mkdir <path>", "making a folder")
    .option("--recursive", "with --cp and --rm: a folder with all it holds")
    .option("--parents", "with --mkdir: missing folders on the way, too")
    .option("--fetch <url>", "fetching a URL")
    .option("--connect <host:port>", "a connection that a command would make");
}

/** The one thing to judge. @throws SallyportError `invalid_argument` where there is none, or more than one */
export function subjectOf(options: SubjectOptions, words: readonly string[]): Subject {
  const { shell, fetch, connect, recursive = false, parents = false } = options;
  const subjects = [
    ...(words.length === 0 ? [] : [{ case: "command" as const, value: commandInit(commandOf(words)) }]),
    ...(shell === undefined ? [] : [{ case: "command" as const, value: commandInit({ shell }) }]),
    ...fileSubjects(options),
    ...(fetch === undefined ? [] : [{ case: "fetch" as const, value: fetch }]),
    ...(connect === undefined ? [] : [{ case: "connect" as const, value: connect }]),
  ] satisfies What[];
  const [what] = subjects;
  if (what === undefined || subjects.length > 1)
    throw wrong(
      "give one thing to judge: a command, -c, --read, --write, --edit, --mv, --cp, --rm, --mkdir, --fetch or --connect",
    );
  if (recursive && what.case !== "copy" && what.case !== "remove") throw wrong("--recursive goes with --cp and --rm");
  if (parents && what.case !== "makeDirectory") throw wrong("--parents goes with --mkdir");
  return { what };
}

function fileSubjects({ read, write, edit, mv, cp, rm, mkdir, recursive = false, parents = false }: SubjectOptions) {
  return [
    ...(read === undefined ? [] : [{ case: "read" as const, value: resolve(read) }]),
    ...(write === undefined ? [] : [{ case: "write" as const, value: resolve(write) }]),
    ...(edit === undefined ? [] : [{ case: "edit" as const, value: resolve(edit) }]),
    ...(mv === undefined ? [] : [{ case: "move" as const, value: placesOf("--mv", mv) }]),
    ...(cp === undefined ? [] : [{ case: "copy" as const, value: { ...placesOf("--cp", cp), recursive } }]),
    ...(rm === undefined ? [] : [{ case: "remove" as const, value: { path: resolve(rm), recursive } }]),
    ...(mkdir === undefined ? [] : [{ case: "makeDirectory" as const, value: { path: resolve(mkdir), parents } }]),
  ] satisfies What[];
}

function placesOf(option: string, paths: readonly string[]): { readonly from: string; readonly to: string } {
  const [from, to, more] = paths;
  if (from === undefined || to === undefined || more !== undefined) throw wrong(`${option} takes two paths`);
  return { from: resolve(from), to: resolve(to) };
}

/** One word is shell text, as people paste it: `sallyport explain 'git push && make'`. Several are a program with its arguments. */
function commandOf(words: readonly string[]): ExecCommand {
  const [only = ""] = words;
  return words.length === 1 ? { shell: only } : { argv: words };
}

function wrong(why: string): SallyportError {
  return new SallyportError("invalid_argument", why, { field: "subject" });
}
