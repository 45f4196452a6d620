import { z } from "zod";
import { modes, tiers } from "../model/subject.ts";
import { casePath, checkSubject, detailShape, subjectShape } from "./case-subject.ts";
import { ruleSchema } from "./permissions-schema.ts";
import { maxRules } from "./yaml-bounds.ts";

const text = z.string({ error: "must be a text" });

/**
 * The keys that describe a situation; what is left out is the world of the examples: /work granted, home /home/u, an attended agent of the highest tier in mode ask.
 * `scopes` are granted beside `cwd`, which is the workspace.
 */
const situationShape = {
  cwd: casePath.prefault("/work"),
  home: casePath.prefault("/home/u"),
  user: text.min(1, "must not be empty").optional(),
  mode: z.enum(modes).default("ask"),
  tier: z.enum(tiers).default("full"),
  attended: z.boolean({ error: "must be true or false" }).default(true),
  scopes: z
    .array(
      z.strictObject(
        { root: casePath, access: z.enum(["ro", "rw"]) },
        { error: (issue) => (issue.code === "invalid_type" ? "must hold root and access" : undefined) },
      ),
      { error: "must be a list of folders" },
    )
    .max(1000, "holds more than 1000 folders")
    .default([]),
};

/** One rule of a case, which may name any source that has rules. */
const caseRule = ruleSchema.extend({
  source: z.enum(["managed", "user", "workspace", "agent", "session"]).default("user"),
});

/** One line of a batch. */
export const batchLineSchema = z
  .strictObject(
    {
      id: z.union([text, z.number()], { error: "must be a text or a number" }).optional(),
      ...subjectShape,
      ...detailShape,
      ...situationShape,
      rules: z
        .array(caseRule, { error: "must be a list of rules" })
        .max(maxRules, `holds more than ${maxRules} rules`)
        .default([]),
    },
    { error: (issue) => (issue.code === "invalid_type" ? "must be an object with the key cmd" : undefined) },
  )
  .superRefine(checkSubject);

/** The folders of a situation that says nothing of them. */
export const describedWorld = { cwd: casePath.parse("/work"), home: casePath.parse("/home/u") };

const targetKeys = ["target", "url", "host", "address", "input"] as const;

/** One line of a batch of `egress check`: a target by whatever name fits it, and what to judge it by beside the address guard. */
export const egressLineSchema = z
  .strictObject(
    {
      id: batchLineSchema.shape.id,
      target: text.optional(),
      url: text.optional(),
      host: text.optional(),
      address: text.optional(),
      input: text.optional(),
      allow: z.array(text, { error: "must be a list of ranges" }).max(1000, "holds more than 1000 ranges").default([]),
      rules: z
        .array(caseRule, { error: "must be a list of rules" })
        .max(maxRules, `holds more than ${maxRules} rules`)
        .optional(),
      method: text.default("GET"),
      mode: situationShape.mode,
      attended: situationShape.attended,
    },
    { error: (issue) => (issue.code === "invalid_type" ? "must be an object with the key target" : undefined) },
  )
  .refine(
    (value) => targetKeys.filter((key) => value[key] !== undefined).length === 1,
    `must hold exactly one of ${targetKeys.join(", ")}`,
  )
  .transform(({ target, url, host, address, input, ...rest }) => ({
    ...rest,
    target: target ?? url ?? host ?? address ?? input ?? "",
  }));

/** One case of a rules test: what is asked, and what must be said. */
const testCaseSchema = z
  .strictObject(
    {
      name: text.optional(),
      ...subjectShape,
      ...detailShape,
      ...situationShape,
      expect: z.enum(["allow", "ask", "deny"]),
      rule: text.optional(),
      blocked: z.boolean({ error: "must be true or false" }).optional(),
    },
    { error: (issue) => (issue.code === "invalid_type" ? "must be a case" : undefined) },
  )
  .superRefine(checkSubject);

/** A rules test: more rules, if any, and the cases. */
export const rulesTestSchema = z.strictObject({
  rules: z.array(caseRule, { error: "must be a list of rules" }).default([]),
  cases: z
    .array(testCaseSchema, { error: "must be a list of cases" })
    .min(1, "must not be empty")
    .max(20_000, "holds more than 20000 cases"),
});

/** A line of a batch, defaults filled in. */
export type BatchLine = z.output<typeof batchLineSchema>;
/** A line of a batch of `egress check`, defaults filled in. */
export type EgressLine = z.output<typeof egressLineSchema>;
/** A case of a rules test, defaults filled in. */
export type TestCase = z.output<typeof testCaseSchema>;
/** A rule of a case, with its source. */
export type CaseRule = z.output<typeof caseRule>;
