import type { TestExpression } from "unbash";
import { expandSingle } from "../expand/expand-word.ts";
import { reportEvaluatedWords } from "../expand/evaluated.ts";
import type { Expansion } from "../expand/expansion.ts";
import type { Word } from "../simple-command.ts";
import { reportsHiddenCode } from "./hidden-code.ts";

const numeric = /^-(eq|ne|lt|le|gt|ge)$/;

/** Walks the substitutions of `[[ … ]]`. Operands that bash evaluates as arithmetic may hide code in a literal. */
export function visitTest(expression: TestExpression, env: Expansion): void {
  switch (expression.type) {
    case "TestUnary": {
      const { word } = expandSingle(expression.operand, env);
      if (expression.operator === "-v" || expression.operator === "-R" || expression.operator === "-t")
        evaluated([word], env);
      else if (/^-[abcdefghkprsuwxGLNOS]$/.test(expression.operator)) named(word, env);
      return;
    }
    case "TestBinary": {
      const words = [expandSingle(expression.left, env).word, expandSingle(expression.right, env).word];
      if (numeric.test(expression.operator)) evaluated(words, env);
      if (/^-(nt|ot|ef)$/.test(expression.operator)) for (const word of words) named(word, env);
      return;
    }
    case "TestLogical":
      for (const operand of expression.operands) visitTest(operand, env);
      return;
    case "TestNot":
      visitTest(expression.operand, env);
      return;
    case "TestGroup":
      visitTest(expression.expression, env);
  }
}

/** A word that bash evaluates: it may hide code, or be a name whose value does. */
function evaluated(words: readonly Word[], env: Expansion): void {
  reportsHiddenCode(words, env.state, env.walk);
  reportEvaluatedWords(words, env);
}

function named(word: Word, { state, walk }: Expansion): void {
  walk.emit({ kind: "named", word, cwds: state.cwds });
}
