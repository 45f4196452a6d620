import type { Effect, RunEffect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import { rulesThatName } from "./names-program.ts";
import type { RuleIndex } from "./rules/rule-index.ts";

/**
 * The effects that are judged together and the rules that judge them, for grounds that look at one effect beside the others. What they ask is found once, so that a long
 * text costs no more for each of its effects.
 */
export class JudgedEffects {
  readonly indexes: readonly RuleIndex[];
  readonly #runs: readonly RunEffect[];
  #byText: ReadonlyMap<string, RunEffect> | undefined;
  #onlyLooks: boolean | undefined;
  #naming: readonly Rule[] | undefined;

  constructor(all: readonly Effect[], indexes: readonly RuleIndex[]) {
    this.indexes = indexes;
    this.#runs = all.filter((effect) => effect.kind === "run");
  }

  /** The first run with this canonical text. */
  runOf(text: string): RunEffect | undefined {
    this.#byText ??= new Map(this.#runs.toReversed().map((run) => [run.text, run]));
    return this.#byText.get(text);
  }

  /**
   * True where nothing but the everyday commands runs (`git status`, `git diff HEAD~1`, `npm test`): they roam the whole folder, and one denied file in it must not make
   * each of them a question. A recursive listing shows what is in a denied folder, so it is none of them, nor is git with a pattern of its own. A file that git is given by
   * name is judged by that name.
   */
  get onlyLooksAround(): boolean {
    this.#onlyLooks ??= this.#runs.length > 0 && this.#runs.every((run) => run.readOnly === true && !mayShow(run));
    return this.#onlyLooks;
  }

  /** The rules that name the programs that are not known to only read; empty where one of them has no such rule, or where there are none. */
  get rulesNamingAll(): readonly Rule[] {
    if (this.#naming === undefined) {
      const runs = this.#runs.filter((run) => run.readOnly !== true);
      const naming: Rule[] = [];
      this.#naming = runs.every((run) => addAll(naming, rulesThatName(run, this.indexes))) ? naming : [];
    }
    return this.#naming;
  }
}

/** False where there is nothing to add. */
function addAll<T>(to: T[], items: readonly T[]): boolean {
  for (const item of items) to.push(item);
  return items.length > 0;
}

function mayShow({ program, argv }: RunEffect): boolean {
  if (program === "ls") return argv.some((word) => /^-[^-]*R|^--rec/.test(word));
  // A pathspec with magic or wildcards (gitglossary(7)) stands for files that no word names.
  return program === "git" && argv.some((word) => !word.startsWith("-") && /^:|[*?[]/.test(word));
}
