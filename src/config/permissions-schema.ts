import { z } from "zod";
import { capabilities } from "../model/effect.ts";
import { maxRules } from "./yaml-bounds.ts";

const pattern = z.string({ error: "must be a text" });
const patternsHint = "must be a pattern or a list of patterns; leave it out for everything";
const patterns = z.union([pattern, z.array(pattern).min(1, patternsHint)], { error: patternsHint });
const methodsHint = "must be a method or a list of methods, such as GET; leave it out for every method";
const methods = z.union([pattern, z.array(pattern).min(1, methodsHint)], { error: methodsHint });
const examples = z.array(z.string({ error: "must be a text" }), { error: "must be a list of texts" }).max(1000);

/** One rule as it stands in a file. */
export const ruleSchema = z.strictObject(
  {
    id: z
      .string({ error: "must be a text" })
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "may hold letters, digits, dots, dashes and underscores, 64 at most")
      .optional(),
    capability: z.enum([...capabilities, "all", "builtin", "filesystem"]),
    match: patterns.optional(),
    exclude: patterns.optional(),
    methods: methods.optional(),
    effect: z.enum(["deny", "ask", "allow"]),
    because: z
      .string({ error: "must be a text" })
      .min(1, "must not be empty")
      .max(1000, "is longer than 1000 characters")
      .optional(),
    examples: z
      .strictObject(
        { hits: examples.default([]), misses: examples.default([]) },
        { error: "must hold hits and misses" },
      )
      .optional(),
  },
  { error: (issue) => (issue.code === "invalid_type" ? "must be a rule with capability and effect" : undefined) },
);

/** A whole permissions file. */
export const permissionsSchema = z.strictObject(
  {
    rules: z
      .array(ruleSchema, { error: "must be a list of rules" })
      .max(maxRules, `holds more than ${maxRules} rules`)
      .nullish(),
  },
  { error: (issue) => (issue.code === "invalid_type" ? "must hold the key rules" : undefined) },
);

/** One rule as it stands in a file. */
export type RuleEntry = z.output<typeof ruleSchema>;
