import type { CheckSubject } from "../../gen/sallyport/v1/policy_pb.ts";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { ConnectIntent, Intent } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import { decodeCopy, decodeMakeDirectory, decodeMove, decodeRemove } from "./change-requests.ts";
import { decodeCommand } from "./command.ts";
import { decodeUrl } from "./fetch-spec.ts";
import { decodeWithin } from "./numbers.ts";
import type { ParsePath } from "../ports/acting.ts";
import { decodePlace } from "./path.ts";
import { decodeName } from "./text.ts";

const maxPort = 65_535;
/** Its paths are texts. */
const noBytes = new Uint8Array();

/** The intent that is to be judged, as the RPC that would act has it by default. @throws Problem `invalid_argument`. */
export function decodeCheckSubject(
  parse: ParsePath,
  field: string,
  subject: CheckSubject | undefined,
  cwd: AbsolutePath,
): Intent {
  if (subject === undefined) throw invalid(field, "must be set");
  const { what } = subject;
  switch (what.case) {
    case "command":
      return {
        kind: "exec",
        command: decodeCommand(`${field}.command`, what.value),
        cwd,
        env: {},
        stdin: false,
        background: false,
        limits: { timeoutMs: 0, outputBytes: 0 },
      };
    case "read":
      return { kind: "read", path: decodePlace(parse, `${field}.read`, what.value, noBytes), offset: 0, length: 0 };
    case "write":
      return {
        kind: "write",
        path: decodePlace(parse, `${field}.write`, what.value, noBytes),
        disposition: "overwrite",
        makeParents: false,
        mode: 0o644,
      };
    case "fetch":
      return {
        kind: "fetch",
        url: decodeUrl(`${field}.fetch`, what.value),
        method: "GET",
        headers: [],
        body: undefined,
        maxBytes: 1024 * 1024,
        timeoutMs: 30_000,
        hop: 0,
      };
    case "connect":
      return decodeConnect(`${field}.connect`, what.value);
    case "edit":
      // What would be changed is not judged, only where.
      return { kind: "edit", path: decodePlace(parse, `${field}.edit`, what.value, noBytes), change: "" };
    case "move":
      return decodeMove(parse, ofNoSession(`${field}.move`, what.value), `${field}.move.`);
    case "copy":
      return decodeCopy(parse, ofNoSession(`${field}.copy`, what.value), `${field}.copy.`);
    case "remove":
      return decodeRemove(parse, ofNoSession(`${field}.remove`, what.value), `${field}.remove.`);
    case "makeDirectory":
      return decodeMakeDirectory(parse, ofNoSession(`${field}.make_directory`, what.value), `${field}.make_directory.`);
    case undefined:
      throw invalid(
        field,
        "must hold one of command, read, write, fetch, connect, edit, move, copy, remove, make_directory",
      );
    default:
      return exhausted(what);
  }
}

/** The session stands beside the subject: two of them could differ. */
function ofNoSession<T extends { readonly sessionId: string }>(field: string, request: T): T {
  if (request.sessionId !== "") throw invalid(`${field}.session_id`, "must be empty: the session stands beside it");
  return request;
}

function decodeConnect(field: string, text: string): ConnectIntent {
  decodeName(field, text);
  const cut = text.lastIndexOf(":");
  const host = text.slice(0, Math.max(0, cut));
  const port = text.slice(cut + 1);
  if (host === "" || !/^\d{1,5}$/.test(port))
    throw invalid(field, "must be a host and a port, such as example.com:443");
  return { kind: "connect", host, port: decodeWithin(field, Number(port), 1, maxPort), via: "tunnel" };
}
