import { z } from "zod";
import { type AbsolutePath, parseAbsolutePath } from "../model/absolute-path.ts";

const text = z.string({ error: "must be a text" });
const flag = z.boolean({ error: "must be true or false" }).optional();

/** An absolute path, normalised. */
export const casePath = text.transform((value, context): AbsolutePath => {
  const parsed = parseAbsolutePath(value);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: "custom", message: "must be an absolute path" });
  return z.NEVER;
});

/** Longest command of a case in UTF-16 units. */
const maxCommand = 1_048_576;
const word = text.max(maxCommand, `is longer than ${maxCommand} characters`);

const fromTo = z.strictObject(
  { from: casePath, to: casePath },
  { error: (issue) => (issue.code === "invalid_type" ? "must hold from and to" : undefined) },
);

/** What a case may ask for, by the name of the request; exactly one of them stands in it. */
export const subjectShape = {
  cmd: word.min(1, "must not be empty").optional(),
  argv: z.tuple([word.min(1, "must not be empty")], word, { error: "must be a list of texts" }).optional(),
  read: casePath.optional(),
  stat: casePath.optional(),
  list: casePath.optional(),
  search: casePath.optional(),
  watch: casePath.optional(),
  download: casePath.optional(),
  write: casePath.optional(),
  edit: casePath.optional(),
  upload: casePath.optional(),
  remove: casePath.optional(),
  move: fromTo.optional(),
  copy: fromTo.optional(),
  mkdir: casePath.optional(),
  restore: fromTo.optional(),
  empty_trash: z
    .array(casePath, { error: "must be a list of paths" })
    .min(1, "must not be empty")
    .max(1000, "holds more than 1000 paths")
    .optional(),
  fetch: text.optional(),
  connect: text.optional(),
  web_search: text.optional(),
  mcp: text.optional(),
  subagent: text.optional(),
  skill: text.optional(),
  plugin: text.optional(),
  context: text.optional(),
  diagnostics: text.optional(),
};

/** What says more of a subject, and which subjects it goes with. */
const detailSubjects = {
  shell: ["cmd"],
  recursive: ["remove", "copy", "restore"],
  parents: ["mkdir"],
  method: ["fetch", "connect"],
} as const satisfies Record<string, readonly SubjectKey[]>;

/** The details of subjects. */
export const detailShape = {
  shell: z.enum(["bash", "powershell", "cmd"]).optional(),
  recursive: flag,
  parents: flag,
  method: text.optional(),
};

const subjectObject = z.object({ ...subjectShape, ...detailShape });

/** A subject with its details, checked. */
export type CaseSubject = z.output<typeof subjectObject>;
/** The name of a subject. */
export type SubjectKey = keyof typeof subjectShape;

/** The names of all subjects. */
export const subjectKeys = keysOf(subjectShape);

/** Says what is wrong with the choice of subjects in a case: none, several, or a detail of another. */
export function checkSubject(value: CaseSubject, context: z.RefinementCtx): void {
  const named = subjectKeys.filter((key) => value[key] !== undefined);
  const [subject] = named;
  if (subject === undefined || named.length > 1) {
    context.addIssue({ code: "custom", message: `must hold exactly one of ${subjectKeys.join(", ")}` });
    return;
  }
  for (const detail of keysOf(detailSubjects)) {
    const subjects: readonly SubjectKey[] = detailSubjects[detail];
    if (value[detail] !== undefined && !subjects.includes(subject))
      context.addIssue({ code: "custom", path: [detail], message: `goes with ${subjects.join(", ")} only` });
  }
}

function keysOf<T extends object>(shape: T): readonly (keyof T & string)[] {
  return Object.keys(shape).filter((key): key is keyof T & string => key in shape);
}
