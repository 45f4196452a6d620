import type { Scope as ScopeMessage } from "../../gen/sallyport/v1/common_pb.ts";
import type {
  AuthorizeRequest,
  RevokeStandingRequest,
  SessionsServiceOpenRequest,
  SessionsServiceUpdateRequest,
} from "../../gen/sallyport/v1/sessions_pb.ts";
import type { Capability } from "../../model/effect.ts";
import type { UseIntent } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import type { Scope } from "../../model/scope.ts";
import type { Channel } from "../../model/subject.ts";
import type { SessionChange, SessionDraft, StandingPlace } from "../ports/people.ts";
import { accessNumbers, lastsNumbers, modeNumbers, wordOf, wordOr } from "../words.ts";
import { decodeAgentId, decodeChannel } from "./ids.ts";
import { decodePath, decodePathOr } from "./path.ts";
import { decodeName, decodeText } from "./text.ts";
import { decodeTime } from "./time.ts";

const maxKeyBytes = 128;
const maxScopes = 32;
const maxNameBytes = 1024;

/** Visible ASCII that no command line takes for a flag. */
const imageReference = /^[A-Za-z0-9/][\x21-\x7e]*$/;

/** What agents carry out themselves and Sallyport only judges. */
const usable: readonly Capability[] = ["web_search", "mcp", "subagent", "skill", "plugin", "context", "diagnostics"];

/** Channels that people answer on: a session that had such a name would look like one of them in questions and in the record. */
const surfaces: ReadonlySet<string> = new Set(["terminal", "web", "telegram", "webhook"]);

/** What a session is to be; `own` is the connection's channel. @throws Problem `invalid_argument`. */
export function decodeOpen(request: SessionsServiceOpenRequest, own: Channel): SessionDraft {
  return {
    workspace: decodePathOr("workspace", request.workspace, undefined),
    key: decodeText("key", request.key, maxKeyBytes),
    mode: wordOr("mode", modeNumbers, request.mode, "ask"),
    attended: !request.unattended,
    image: decodeImage("image", request.image),
    scopes: decodeScopes("scopes", request.scopes),
    channel: decodeOpenedChannel(request.channel, own),
  };
}

function decodeOpenedChannel(text: string, own: Channel): Channel {
  if (text === "" || text === own) return own;
  const channel = decodeChannel("channel", text);
  if (surfaces.has(channel))
    throw invalid("channel", `\`${channel}\` is kept for a surface that people answer on; say \`${channel}:NAME\``);
  return channel;
}

/** What is to change in a session. @throws Problem `invalid_argument`. */
export function decodeUpdate(request: SessionsServiceUpdateRequest): SessionChange {
  if (request.removeScopes.length > maxScopes) throw invalid("remove_scopes", `more than ${maxScopes}`);
  return {
    mode: wordOr("mode", modeNumbers, request.mode, undefined),
    addScopes: decodeScopes("add_scopes", request.addScopes),
    removeScopes: request.removeScopes.map((root, index) => decodePath(`remove_scopes[${index}]`, root)),
  };
}

/** Which folder of whom is taken back. @throws Problem `invalid_argument`. */
export function decodeRevokeStanding(request: RevokeStandingRequest): StandingPlace {
  return {
    agent: decodeAgentId("agent", request.agent),
    workspace: decodePath("workspace", request.workspace),
    root: decodePath("root", request.root),
  };
}

/** A capability that the agent wants to use. @throws Problem `invalid_argument`. */
export function decodeAuthorize(request: AuthorizeRequest): UseIntent {
  const capability = usable.find((each) => each === request.capability);
  if (capability === undefined) throw invalid("capability", `must be one of ${usable.join(", ")}`);
  return { kind: "use", capability, name: decodeName("name", request.name, maxNameBytes) };
}

function decodeImage(field: string, image: string): string | undefined {
  if (image === "") return undefined;
  if (!imageReference.test(decodeText(field, image))) throw invalid(field, "is no image reference");
  return image;
}

function decodeScopes(field: string, scopes: readonly ScopeMessage[]): readonly Scope[] {
  if (scopes.length > maxScopes) throw invalid(field, `more than ${maxScopes}`);
  return scopes.map((scope, index) => decodeScope(`${field}[${index}]`, scope));
}

function decodeScope(field: string, scope: ScopeMessage): Scope {
  const expiresAt = decodeTime(`${field}.expires_at`, scope.expiresAt);
  return {
    root: decodePath(`${field}.root`, scope.root),
    access: wordOf(`${field}.access`, accessNumbers, scope.access),
    lasts: wordOr(`${field}.lasts`, lastsNumbers, scope.lasts, "session"),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
