import type { Rule as RuleMessage } from "../../gen/sallyport/v1/common_pb.ts";
import { capabilities, type Capability, type MetaCapability } from "../../model/effect.ts";
import { invalid } from "../../model/problem.ts";
import type { NewRule } from "../ports/judging.ts";
import { sourceNumbers, verdictNumbers, wordOf } from "../words.ts";
import { decodeName, decodeText } from "./text.ts";

const maxPatterns = 64;
const groups: readonly MetaCapability[] = ["all", "builtin", "filesystem"];

/** A rule that is to be added. Its id and origin are not the caller's to set. @throws Problem `invalid_argument`. */
export function decodeNewRule(field: string, rule: RuleMessage | undefined): NewRule {
  if (rule === undefined) throw invalid(field, "must be set");
  const source = wordOf(`${field}.source`, sourceNumbers, rule.source);
  if (source !== "user" && source !== "workspace" && source !== "session")
    throw invalid(`${field}.source`, "must be RULE_SOURCE_USER, RULE_SOURCE_WORKSPACE or RULE_SOURCE_SESSION");
  if (rule.match.length === 0) throw invalid(`${field}.match`, "must hold a glob");
  const because = decodeText(`${field}.because`, rule.because);
  return {
    source,
    capability: decodeCapability(`${field}.capability`, rule.capability),
    match: decodePatterns(`${field}.match`, rule.match),
    exclude: decodePatterns(`${field}.exclude`, rule.exclude),
    ...(rule.methods.length === 0 ? {} : { methods: decodePatterns(`${field}.methods`, rule.methods) }),
    effect: wordOf(`${field}.effect`, verdictNumbers, rule.effect),
    ...(because === "" ? {} : { because }),
  };
}

function decodeCapability(field: string, text: string): Capability | MetaCapability {
  const found = [...capabilities, ...groups].find((each) => each === text);
  if (found === undefined) throw invalid(field, `must be one of ${[...capabilities, ...groups].join(", ")}`);
  return found;
}

function decodePatterns(field: string, patterns: readonly string[]): readonly string[] {
  if (patterns.length > maxPatterns) throw invalid(field, `more than ${maxPatterns}`);
  return patterns.map((pattern, index) => decodeName(`${field}[${index}]`, pattern));
}
