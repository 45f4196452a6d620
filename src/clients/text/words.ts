import type { DescEnum } from "@bufbuild/protobuf";
import type { GenEnum } from "@bufbuild/protobuf/codegenv2";
import type { Effect, Finding, Rule } from "../../gen/sallyport/v1/common_pb.ts";
import { RuleSourceSchema, Verdict, VerdictSchema } from "../../gen/sallyport/v1/common_pb.ts";

/** The word for an enum value: `MODE_ALLOW_ALL` is `allow-all`. */
export function enumWord(schema: DescEnum, value: number): string {
  const name = schema.value[value]?.localName;
  return name === undefined ? String(value) : name.toLowerCase().replaceAll("_", "-");
}

/** The words that a user may write for an enum, UNSPECIFIED left out. */
export function enumWords(schema: DescEnum): string[] {
  return schema.values.filter(({ number }) => number !== 0).map(({ number }) => enumWord(schema, number));
}

/** The value for a word; UNSPECIFIED where there is no word or it is none of the enum's. */
export function enumValue<Value extends number>(schema: GenEnum<Value>, word: string | undefined): Value {
  const found = schema.values.find(({ number }) => number !== 0 && enumWord(schema, number) === word);
  // The schema's numbers are the values of its type: 0 is in every enum of the API.
  return (found?.number ?? 0) as Value;
}

/** An effect in words, for example `write /home/u/x`. Not yet safe on a terminal. */
export function effectWords(effect: Effect | undefined): string {
  const kind = effect?.kind;
  switch (kind?.case) {
    case "run":
      return `run ${kind.value.text}`;
    case "read":
    case "write":
    case "delete": {
      const { path, spelled } = kind.value;
      return `${kind.case} ${path}${spelled === "" || spelled === path ? "" : ` (written ${spelled})`}`;
    }
    case "reach": {
      const { host, port, method, url } = kind.value;
      const where = `reach ${host}${port === 0 ? "" : `:${port}`}`;
      return url === "" ? where : `${where} (${method === "" ? "" : `${method} `}${url})`;
    }
    case "use":
      return `use ${kind.value.capability} ${kind.value.name}`;
    case "opaque":
      return `unseen: ${kind.value.text} (${kind.value.why})`;
    default:
      return "an effect that this client does not know";
  }
}

/** Why a part of a question needs an answer, as lines. What rules allow is in a question where the session's mode asks for it all the same. Not yet safe on a terminal. */
export function findingLines({ verdict, effect, because, rules }: Finding): string[] {
  const asks = verdict === Verdict.ALLOW ? "asked by the session's mode" : enumWord(VerdictSchema, verdict);
  return [`${asks}: ${effectWords(effect)}`, `  ${because}`, ...rules.map((rule) => `  ${ruleWords(rule)}`)];
}

/** A rule in words: verdict aside, where it is from and what it matches. */
export function ruleWords(rule: Rule): string {
  const source = enumWord(RuleSourceSchema, rule.source);
  const match = rule.match.map((glob) => JSON.stringify(glob)).join(" ");
  const methods = rule.methods.length === 0 ? "" : ` ${rule.methods.join(" or ")}`;
  return `${source} rule ${rule.id}: ${rule.capability}${methods} ${match}${rule.origin === "" ? "" : ` (${rule.origin})`}`;
}
