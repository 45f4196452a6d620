import { describe, expect, it } from "vitest";
import { limits } from "../../../src/policy/shell/limits.ts";
import { analyse, blockedBy, told } from "./analyse.ts";

const big: number = limits.decidedUnits;

function fill(piece: string, units = big): string {
  return piece.repeat(Math.floor(units / piece.length));
}

describe("a blocked command is found however much stands around it", () => {
  it.each([
    ["many commands", `${fill("a;", big - 20)}sudo id`],
    ["many distinct commands", `${Array.from({ length: 4000 }, (_, at) => `a${at}`).join(";")};sudo id`],
    ["many assignments", `${fill("x=1;", big - 20)}sudo id`],
    ["many folders", `${fill("cd a;", big - 20)}sudo id`],
    ["many functions", `${Array.from({ length: 1000 }, (_, at) => `f${at}() { :; }`).join(";")}; sudo id`],
    ["many wrappers", `${fill("env ", 4000)}sudo id`],
    ["many wrappers with operands", `${fill("timeout 5 ", 4000)}sudo id`],
    ["nested substitutions", `${"$(".repeat(20)}sudo id${")".repeat(20)}`],
    ["texts inside texts", `${"eval ".repeat(10)}sudo id`],
    ["a long comment", `# ${"x".repeat(big)}\nsudo id`],
    ["a text over the limit", `${fill("ls;", big + 10_000)}sudo id`],
    ["a long list of operands", `rm -rf ${fill("a/b ", big - 20)} /`],
  ])("%s", (_name, text) => {
    expect(blockedBy(text)).not.toEqual([]);
  });
});

function list(count: number, item: (at: number) => string, between = ""): string {
  return Array.from({ length: count }, (_, at) => item(at)).join(between);
}

function nested(depth: number, open: string, inside: string, close: string): string {
  return open.repeat(depth) + inside + close.repeat(depth);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

describe("no bound turns a denial into a question", () => {
  it.each([
    ["variables", `${list(300, (at) => `v${at}=x;`)}D=/;rm -rf $D`],
    ["functions", `${list(300, (at) => `f${at}(){ :;};`)}g(){ sudo id;};g`],
    ["folders", `${list(30, (at) => `if a;then cd d${at};fi;`)}if a;then cd /;fi;rm -rf *`],
    ["subshells", nested(120, "( ", "sudo id", ")")],
    ["subshells that the parser gives up", nested(3000, "( ", "sudo id", ")")],
    ["groups", nested(300, "{ ", "sudo id;", "}")],
    ["conditions", nested(200, "if ", "sudo id", ";then :;fi")],
    ["cases", nested(200, "case x in x) ", "sudo id", ";;esac")],
    ["functions in functions", nested(150, "f(){ ", "sudo id;", "}")],
    ["substitutions", nested(300, "$(", "sudo id", ")")],
    ["quoted substitutions", nested(300, '"$(', "sudo id", ')"')],
    ["defaults", `echo ${nested(300, "${a:-", "$(sudo id)", "}")}`],
    ["quoted names", nested(300, "( ", "s'u'd\\o id", ")")],
    ["encoded names", nested(120, "( ", String.raw`$'\x73udo' id`, ")")],
    ["deep texts in texts", `bash -c ${quoted(nested(120, "( ", "sudo id", ")"))}`],
    ["texts in texts", `${"eval ".repeat(400)}sudo id`],
    [
      "here-documents in here-documents",
      `${list(14, (at) => `sh <<'E${at}'\n`)}sudo id\n${list(14, (at) => `E${13 - at}\n`)}`,
    ],
    ["missed substitutions", `${"echo ${x~~$(id)};".repeat(60)}echo \${x~~$(sudo id)}`],
    ["a missed substitution with a quoted bracket", 'echo ${x~~$(echo ")"; sudo id)}'],
    ["items", `echo ${list(3000, (at) => `x${at} `)} / | xargs rm -r`],
    ["items one by one", `printf '${list(100, (at) => `x${at}\\n`)}/\\n' | xargs -I{} rm -r {}`],
    ["long output", `printf '${"a ".repeat(15_000)}/' | xargs rm -r`],
    ["long values", `D='${" ".repeat(20_000)}/';rm -rf $D`],
    ["uses of values", `x=${"a".repeat(4000)};${"echo $x;".repeat(200)}D=/;rm -rf $D`],
    ["alternatives", `rm -rf {${list(300, (at) => `x${at}`, ",")},/}`],
    ["products of braces", `rm -rf {/,x}${"{,}".repeat(10)}`],
    ["a name of braces", `{s,x}{u,y}${"{,}".repeat(9)}do id`],
    ["what overflows the parser, behind", `sudo id\n${"f()".repeat(10_000)}`],
    ["what overflows the parser, before", `${"coproc ".repeat(4000)}\nsudo id`],
    ["loops, in a function", `${nested(12, "for i in 1 2 3 4 5 6 7 8 9;do ", ":", ";done")};f(){ sudo id;}`],
  ])("%s", (_name, text) => {
    expect(blockedBy(text)).not.toEqual([]);
  });

  it("nor that of a rule", () => {
    for (const text of [
      nested(300, "( ", "git push x", ")"),
      `${"eval ".repeat(40)}git push x`,
      `git push x\n${"f()".repeat(10_000)}`,
    ])
      expect(told(text)).toContain("run git push x");
  });
});

it("does not decide a text over the limit", () => {
  expect(told(`ls ${"a".repeat(big)}`)).toContain(`opaque limit: the text is longer than ${big} characters`);
  expect(told(`ls ${"a ".repeat(big / 2 - 10)}`).some((line) => line.startsWith("opaque limit"))).toBe(false);
});

it.each([
  ["substitutions", "echo ".concat("$(".repeat(8000), ")".repeat(8000))],
  ["unfinished substitutions", "$(".repeat(16_000)],
  ["quoted closers", `echo ${'$(")" '.repeat(4500)}`],
  ["arithmetic", "$((".repeat(10_000)],
  ["defaults", "${a:-".repeat(5400)],
  ["brackets", "(".repeat(big)],
  ["braces", "{a,".repeat(8000) + "}".repeat(8000)],
  ["brace products", "echo ".concat("{a,b}".repeat(6000))],
  ["backticks", "`".repeat(big)],
  ["loops in loops", "for a in 1 2 3 4 5 6 7 8; do ".repeat(100) + "ls" + "; done".repeat(100)],
  ["loops that change", "while a=$b cd x; do ".repeat(200) + "ls" + "; done".repeat(200)],
  [
    "functions that call each other",
    Array.from({ length: 200 }, (_, at) => `f${at}() { f${at + 1}; f${at + 1}; }`).join(";") + ";f0",
  ],
  ["growing values", `x=aaaaaaaa; ${"x=$x$x;".repeat(40)} ls $x`],
  ["many uses of many arguments", `set -- ${"a ".repeat(8000)}; ${list(2000, (at) => `ls $@ ${at};`)}`],
  ["xargs in xargs", `echo a | ${"xargs ".repeat(200)}rm`],
  ["wrappers with strange options", `${"timeout --odd ".repeat(200)}ls`],
  ["find actions", `find ${"a ".repeat(4000)}${"-exec rm {} \\; ".repeat(1600)}`],
])("asks about too many %s", (_name, text) => {
  const { effects } = analyse(text);
  expect(effects.some((effect) => effect.kind === "opaque")).toBe(true);
});

it("goes on after a file system that does not answer", () => {
  expect(blockedBy("cd x && rm -rf /", { broken: ["/work/x"] })).toEqual(["blocklist.recursive-delete"]);
  expect(told("cd x && ls", { broken: ["/work/x"] })).toContain(
    "opaque dynamic: the folder in which it runs is not known",
  );
});
