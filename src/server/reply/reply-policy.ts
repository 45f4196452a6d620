import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RuleFaultSchema } from "../../gen/sallyport/v1/policy_pb.ts";
import type { EffectSchema, FindingSchema, RuleSchema, ScopeSchema } from "../../gen/sallyport/v1/common_pb.ts";
import type { Finding } from "../../model/decision.ts";
import type { Effect, PathEffect } from "../../model/effect.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { Rule } from "../../model/rule.ts";
import type { Scope } from "../../model/scope.ts";
import type { RuleFault } from "../ports/judging.ts";
import { accessNumbers, lastsNumbers, sourceNumbers, verdictNumbers } from "../words.ts";

/** A rule as a message. */
export function replyRule(rule: Rule): MessageInitShape<typeof RuleSchema> {
  return {
    id: rule.id,
    source: sourceNumbers[rule.source],
    capability: rule.capability,
    match: [...rule.match],
    exclude: [...rule.exclude],
    methods: [...(rule.methods ?? [])],
    effect: verdictNumbers[rule.effect],
    because: rule.because ?? "",
    origin: rule.origin ?? "",
    expiresAt: rule.expiresAt?.toISOString() ?? "",
  };
}

/** Longest text of a fault in UTF-16 units: a parser may quote what it could not read. */
const maxFaultText = 1000;

/** A fault of a rule file as a message. */
export function replyFault({ file, line, column, message }: RuleFault): MessageInitShape<typeof RuleFaultSchema> {
  return { file, line, column, message: message.slice(0, maxFaultText).toWellFormed() };
}

/** A granted folder as a message. */
export function replyScope(scope: Scope): MessageInitShape<typeof ScopeSchema> {
  return {
    root: scope.root,
    access: accessNumbers[scope.access],
    expiresAt: scope.expiresAt?.toISOString() ?? "",
    lasts: lastsNumbers[scope.lasts],
  };
}

/** An effect with its verdict as a message. */
export function replyFinding(finding: Finding): MessageInitShape<typeof FindingSchema> {
  return {
    effect: replyEffect(finding.effect),
    verdict: verdictNumbers[finding.verdict],
    rules: finding.rules.map(replyRule),
    because: finding.because,
    firm: finding.firm,
  };
}

function replyEffect(effect: Effect): MessageInitShape<typeof EffectSchema> {
  switch (effect.kind) {
    case "run":
      return {
        kind: {
          case: "run",
          value: {
            program: effect.program,
            argv: [...effect.argv],
            text: effect.text,
          },
        },
      };
    case "read":
    case "write":
    case "delete":
      return { kind: { case: effect.kind, value: replyPath(effect) } };
    case "reach":
      return {
        kind: {
          case: "reach",
          value: {
            host: effect.host,
            port: effect.port,
            method: effect.method ?? "",
            url: withoutQuery(effect.url ?? ""),
          },
        },
      };
    case "use":
      return { kind: { case: "use", value: { capability: effect.capability, name: effect.name } } };
    case "opaque":
      return {
        kind: { case: "opaque", value: { text: effect.text, why: effect.why } },
      };
    default:
      return exhausted(effect);
  }
}

function replyPath(effect: PathEffect) {
  return { path: effect.path, exact: effect.exact, spelled: effect.spelled ?? "" };
}

/** Queries carry keys. */
function withoutQuery(url: string): string {
  const cut = url.search(/[?#]/);
  return cut === -1 ? url : url.slice(0, cut);
}
