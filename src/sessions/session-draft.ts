import { isInside, type AbsolutePath } from "../model/absolute-path.ts";
import { invalid, Problem } from "../model/problem.ts";
import type { Rule } from "../model/rule.ts";
import type { SandboxLimits } from "../model/runtime.ts";
import type { Scope } from "../model/scope.ts";
import type { Caller, Channel, Mode, Tier } from "../model/subject.ts";
import { exceeds, isWiderMode, lowerTier } from "./widening.ts";

/** What a session is like where nobody says otherwise, and how far an agent may go by itself. */
export interface SessionDefaults {
  /** Agents may open sessions in a stricter mode, not in a wider one. */
  readonly mode: Mode;
  /** Agents may ask for less, not for more. */
  readonly limits: SandboxLimits;
  /** Agents may open sessions in these folders and below, nowhere else. Real paths. */
  readonly workspaces: readonly AbsolutePath[];
  /** Images that agents may name beside the default. */
  readonly images: readonly string[];
}

/** What a new session is to be. */
export interface SessionDraft {
  /** Real path. */
  readonly workspace: AbsolutePath;
  /** The client's own label, 128 characters at most. */
  readonly key: string;
  readonly mode: Mode;
  readonly channel: Channel;
  /** Undefined: the caller's. */
  readonly tier?: Tier | undefined;
  readonly attended: boolean;
  /** Further folders, without the workspace; 32 at most. Real paths. */
  readonly scopes: readonly Scope[];
  /** Undefined: the configured default. */
  readonly image?: string | undefined;
  /** What is not given is the default. */
  readonly limits?: Partial<SandboxLimits> | undefined;
}

/** What is to become different in a session; what is not given stays. */
export interface SessionChange {
  readonly mode?: Mode | undefined;
  /** One of a folder that is there replaces it. */
  readonly addScopes?: readonly Scope[];
  readonly removeScopes?: readonly AbsolutePath[];
  /** Of source `session`; one whose id is there replaces it. */
  readonly addRules?: readonly Rule[];
  /** Ids. */
  readonly removeRules?: readonly string[];
}

const longestKey = 128;
const mostScopes = 32;
const longestImage = 512;

/** True for a caller who may widen: an admin who came in without an agent's credential. */
export function mayWiden(caller: Caller): boolean {
  return caller.role === "admin" && !caller.isAgent;
}

/** @throws Problem `invalid_argument` naming the field, `permission_denied` for what needs an admin. */
export function checkDraft(caller: Caller, draft: SessionDraft, defaults: SessionDefaults): void {
  if (draft.key.length > longestKey || /\p{C}/u.test(draft.key))
    throw invalid("key", `not a label of ${longestKey} visible characters at most`);
  if (draft.scopes.length > mostScopes) throw invalid("scopes", `more than ${mostScopes}`);
  if ((draft.image?.length ?? 0) > longestImage) throw invalid("image", `longer than ${longestImage} characters`);
  if (draft.image !== undefined && !/^[\w/][\w./:@-]*$/.test(draft.image))
    throw invalid("image", "neither an image reference nor an absolute path");
  for (const [name, value] of Object.entries(draft.limits ?? {}))
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) throw invalid(`limits.${name}`, "not above 0");
  if (draft.tier !== undefined && lowerTier(draft.tier, caller.tier) !== draft.tier)
    throw new Problem(
      "permission_denied",
      `tier: ${draft.tier} is above ${caller.tier}, which is the ceiling of ${caller.agent}`,
    );
  if (!mayWiden(caller)) checkOwnReach(draft, defaults);
}

/** What an agent may not give itself. */
function checkOwnReach(draft: SessionDraft, defaults: SessionDefaults): void {
  const { workspace, image } = draft;
  if (isWiderMode(defaults.mode, draft.mode)) throw needsAdmin("mode", draft.mode);
  if (!defaults.workspaces.some((root) => isInside(root, workspace))) throw needsAdmin("workspace", workspace);
  if (draft.scopes.length > 0) throw needsAdmin("scopes", "a further folder");
  if (image !== undefined && !defaults.images.includes(image)) throw needsAdmin("image", image);
  if (exceeds(limitsOf(draft, defaults), defaults.limits)) throw needsAdmin("limits", "more than the default");
}

/** The limits of a draft, completed. */
export function limitsOf(draft: SessionDraft, { limits }: SessionDefaults): SandboxLimits {
  const openFiles = draft.limits?.openFiles ?? limits.openFiles;
  const fileBytes = draft.limits?.fileBytes ?? limits.fileBytes;
  return {
    memoryBytes: draft.limits?.memoryBytes ?? limits.memoryBytes,
    cpus: draft.limits?.cpus ?? limits.cpus,
    pids: draft.limits?.pids ?? limits.pids,
    tmpBytes: draft.limits?.tmpBytes ?? limits.tmpBytes,
    ...(openFiles === undefined ? {} : { openFiles }),
    ...(fileBytes === undefined ? {} : { fileBytes }),
  };
}

/** The refusal of what only an admin may give. */
export function needsAdmin(field: string, what: string): Problem {
  return new Problem("permission_denied", `${field}: ${what} needs an admin`, { field });
}
