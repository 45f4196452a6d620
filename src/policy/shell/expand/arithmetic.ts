import { forEachChild, type ArithmeticExpression, type SyntaxNode } from "unbash";
import { opaque } from "../walk/walk.ts";
import { hidesCode } from "./hides-code.ts";
import { reportEvaluated } from "./evaluated.ts";
import type { Expansion } from "./expansion.ts";
import { printsNumber } from "./prints-number.ts";

const assigning = /^(=|\*=|\/=|%=|\+=|-=|<<=|>>=|&=|\^=|\|=)$/;

/** Walks the substitutions of an arithmetic expression and notes the variables that it sets. Undefined: it could not be parsed. */
export function visitArithmetic(expression: ArithmeticExpression | undefined, text: string, env: Expansion): void {
  if (expression === undefined) {
    // `$(( ))` is empty and harmless; anything else that has no tree is not understood.
    if (/[^\s()$[\]]/.test(text)) opaque(env.walk, text, "an arithmetic expression could not be read", "syntax");
    return;
  }
  visit(expression, env);
}

function visit(node: SyntaxNode, env: Expansion): void {
  switch (node.type) {
    case "ArithmeticWord":
      reportEvaluated(node.value, node.parts === undefined ? [] : env.flattenQuoted(node.parts), env);
      return;
    case "ArithmeticCommandExpansion": {
      const output = env.walk.steps.substitution(node, env.state, env.walk);
      if (output?.sure === true ? hidesCode(output.text) : !printsNumber(node.script, env.state))
        opaque(env.walk, node.text, "arithmetic would run a substitution in the output of this command", "dynamic");
      return;
    }
    case "ArithmeticBinary":
      if (assigning.test(node.operator)) note(node.left, env);
      break;
    case "ArithmeticUnary":
      if (node.operator === "++" || node.operator === "--") note(node.operand, env);
      break;
    case "Word":
      env.flattenWord(node);
      return;
    default:
  }
  forEachChild(node, (child) => visit(child, env));
}

function note(target: ArithmeticExpression, env: Expansion): void {
  const name = target.type === "ArithmeticWord" ? /^[A-Za-z_]\w*/.exec(target.value)?.[0] : undefined;
  if (name !== undefined) env.assign(name, undefined);
}
