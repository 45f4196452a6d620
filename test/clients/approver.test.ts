import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AnswerKind, RulesFile } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { eventually } from "./support/eventually.ts";
import { cliEntry } from "./support/run-cli.ts";
import { npmQuestion, scriptedApprovals, type ScriptedApprovals } from "./support/scripted-approvals.ts";
import { keys, startOnTerminal, type Terminal } from "./support/terminal.ts";
import { startTestServer, type TestServer } from "./support/test-server.ts";

const approverEntry = fileURLToPath(new URL("support/approver-entry.ts", import.meta.url));
// Keys count from the start, or never.
const noGrace = "0";
const endlessGrace = "1e12";

let approvals: ScriptedApprovals;
let server: TestServer;
const terminals: Terminal[] = [];

beforeEach(async () => {
  approvals = scriptedApprovals();
  server = await startTestServer(approvals.mounted);
});
afterEach(async () => {
  for (const terminal of terminals.splice(0)) terminal.pty.kill("SIGKILL");
  await server.close();
});

function approver(grace = noGrace, kind = "watch", env: NodeJS.ProcessEnv = {}): Terminal {
  const terminal = startOnTerminal([approverEntry, server.socket, grace, kind], env);
  terminals.push(terminal);
  return terminal;
}

async function leave(terminal: Terminal): Promise<void> {
  terminal.press(keys.interrupt);
  await terminal.shows("END interrupted raw=false");
  expect(await terminal.exited).toBe(0);
}

describe("a question", () => {
  test("shows who, what, why, the rules and what always would write", async () => {
    approvals.ask(npmQuestion("left-pad", { detail: "first line\n\tsecond line" }));
    const terminal = approver();
    await terminal.shows("● Deny");
    const screen = terminal.screen();
    for (const text of [
      "run npm install left-pad",
      "first line",
      "    second line",
      "agent bot, session s-1, channel tcp",
      "ask: run npm install left-pad",
      "a rule asks",
      'workspace rule r1: shell "npm install*" (rules.yaml:3)',
      'allow shell "npm install *"',
      'deny shell "npm install *"',
      "Silence is a denial",
    ])
      expect(screen).toContain(text);
    expect(screen).toMatch(/at \d\d:\d\d:\d\d, in \d+ min/);
    expect(screen).not.toContain("LOOK TWICE");
    await leave(terminal);
    expect(approvals.answers).toEqual([]);
  });

  test("says of what is allowed that the session's mode asks for it", async () => {
    const effect = { kind: { case: "write", value: { path: "/w/a.txt" } } } as const;
    approvals.ask(npmQuestion("left-pad", { findings: [{ effect, verdict: Verdict.ALLOW, because: "in a folder" }] }));
    const terminal = approver();
    await terminal.shows("● Deny");
    expect(terminal.screen()).toContain("asked by the session's mode: write /w/a.txt");
    await leave(terminal);
  });

  test("is answered with the arrow keys; the rules that were written are shown", async () => {
    const terminal = approver();
    await terminal.shows("Waiting for questions");
    for (const [id, moves, answer, shown] of [
      ["a", [], AnswerKind.DENY, "Denied."],
      ["b", [keys.up, keys.up], AnswerKind.ALLOW, "Allowed."],
      ["c", [keys.up], AnswerKind.ALWAYS_ALLOW, 'wrote user rule r7: shell "npm *"'],
    ] as const) {
      terminal.press("");
      approvals.ask(npmQuestion(id));
      await terminal.shows("● Deny");
      for (const move of moves) {
        const before = terminal.screen();
        terminal.press(move);
        await eventually(terminal.screen).not.toBe(before);
        await eventually(terminal.screen).toMatch(/● (Allow|Always)/);
      }
      terminal.press(keys.enter);
      await terminal.shows(shown);
      await terminal.shows("Waiting for questions");
      expect(approvals.answers.at(-1)).toEqual({ id, answer });
    }
    await leave(terminal);
  });

  test("cannot be always allowed where no rule can say it", async () => {
    approvals.ask(npmQuestion("x", { allowDrafts: [], answers: [AnswerKind.ALLOW, AnswerKind.DENY] }));
    const terminal = approver();
    await terminal.shows("no rule can say this");
    terminal.press(keys.up);
    await terminal.shows("● Allow");
    await leave(terminal);
  });
});

describe("more answers", () => {
  /** Opens More… for a question and moves up to a choice. */
  async function moreOf(terminal: Terminal, label: string): Promise<void> {
    await terminal.shows("● Deny");
    terminal.press(keys.down);
    await terminal.shows("● More…");
    terminal.press(keys.enter);
    await terminal.shows("● Back");
    await moveUpTo(terminal, label);
  }

  async function moveUpTo(terminal: Terminal, label: string): Promise<void> {
    for (let at = ""; at !== label;) {
      // The next key only when this one is seen: none is pressed too often.
      terminal.press(keys.up);
      await terminal.shows("● ");
      at = /^[^\r\n(]*/.exec(terminal.screen().split("● ").at(-1) ?? "")?.[0].trim() ?? "";
    }
  }

  test.each([
    ["Allow for this session", { answer: AnswerKind.ALLOW_SESSION, file: RulesFile.UNSPECIFIED }, "Allowed."],
    ["Allow for 15 minutes", { answer: AnswerKind.ALLOW_FOR, file: RulesFile.UNSPECIFIED }, "Allowed."],
    ["Always allow in this workspace", { answer: AnswerKind.ALWAYS_ALLOW, file: RulesFile.WORKSPACE }, "Allowed."],
    ["Always deny", { answer: AnswerKind.ALWAYS_DENY, file: RulesFile.UNSPECIFIED }, "Denied."],
    ["Always deny in this workspace", { answer: AnswerKind.ALWAYS_DENY, file: RulesFile.WORKSPACE }, "Denied."],
  ])("%s", async (label, { answer, file }, shown) => {
    approvals.ask(npmQuestion("x"));
    const terminal = approver();
    await moreOf(terminal, label);
    terminal.press(keys.enter);
    await terminal.shows(shown);
    expect(approvals.answers).toEqual([{ id: "x", answer }]);
    expect(approvals.sent).toMatchObject([{ file, also: [] }]);
    await leave(terminal);
  });

  test("a denial with a message that is typed", async () => {
    approvals.ask(npmQuestion("x"));
    const terminal = approver();
    await moreOf(terminal, "Deny with a message");
    terminal.press(keys.enter);
    await terminal.shows("What the agent is told");
    // A paste with a line end does not send itself.
    terminal.press(`use left-pad 2${keys.enter}`);
    await terminal.shows("use left-pad 2");
    expect(approvals.answers).toEqual([]);
    terminal.press(keys.enter);
    await terminal.shows("Denied.");
    expect(approvals.answers).toEqual([{ id: "x", answer: AnswerKind.DENY }]);
    expect(approvals.sent).toMatchObject([{ message: "use left-pad 2" }]);
    await leave(terminal);
  });

  /** Opens the editor of a question. */
  async function editorOf(terminal: Terminal): Promise<void> {
    await moreOf(terminal, "Edit and allow");
    terminal.press(keys.enter);
    await terminal.shows("What runs in its place");
  }

  test("an edited command is sent only after it was shown what it would do", async () => {
    approvals.ask(npmQuestion("x", { editable: "npm install x\nls" }));
    const terminal = approver();
    await editorOf(terminal);
    await terminal.shows("npm install x\\u{a}ls");
    terminal.press(" -l");
    await terminal.shows("ls -l");
    terminal.press(keys.enter);
    await terminal.shows("● Back");
    const screen = terminal.screen();
    for (const text of [
      "Allow this instead?",
      "run npm install x\\u{a}ls -l",
      "| npm install x\\u{a}ls -l",
      "What the answer would settle",
      "ask: run npm install x\\u{a}ls -l",
      "no rule allows it",
    ])
      expect(screen).toContain(text);
    // An Enter more than was meant runs nothing.
    expect(approvals.answers).toEqual([]);
    await moveUpTo(terminal, "Allow this instead");
    terminal.press(keys.enter);
    await terminal.shows("Allowed.");
    const edited = "npm install x\\u{a}ls -l";
    expect(approvals.tried).toEqual([edited]);
    expect(approvals.answers).toEqual([{ id: "x", answer: AnswerKind.EDIT_AND_ALLOW }]);
    expect(approvals.sent).toMatchObject([{ edited, plan: `plan of ${edited}` }]);
    await leave(terminal);
  });

  test("an edited command that may not run is never sent: the reason is shown and the person goes on with it", async () => {
    approvals.refuseEdit("nothing lifts the blocklist");
    approvals.ask(npmQuestion("x", { editable: "free" }));
    const terminal = approver();
    await editorOf(terminal);
    terminal.press("; sudo id");
    await terminal.shows("free; sudo id");
    terminal.press(keys.enter);
    await terminal.shows("That may not run: run it: nothing lifts the blocklist");
    await terminal.shows("free; sudo id");
    terminal.press("\u007f".repeat("; sudo id".length));
    await terminal.shows("free");
    terminal.press(keys.enter);
    await terminal.shows("nothing in it needs an answer");
    await terminal.shows("● Back");
    // Escape is one step back: to the text, then to the answers.
    terminal.press(keys.escape);
    await terminal.shows("What runs in its place");
    await terminal.shows("free");
    terminal.press(keys.escape);
    await terminal.shows("● Deny");
    expect(approvals.answers).toEqual([]);
    await leave(terminal);
  });

  test("an edited command that was not counted is edited and looked at again", async () => {
    approvals.refuseAnswer("what it would do changed since it was shown");
    approvals.ask(npmQuestion("x", { editable: "y" }));
    const terminal = approver();
    await editorOf(terminal);
    for (const shown of ["Not counted: what it would do changed", "Allowed."]) {
      terminal.press(keys.enter);
      await terminal.shows("● Back");
      await moveUpTo(terminal, "Allow this instead");
      terminal.press(keys.enter);
      await terminal.shows(shown);
    }
    expect(approvals.tried).toEqual(["y", "y"]);
    await leave(terminal);
  });

  test("an edited command whose question is answered elsewhere while it is shown does not run", async () => {
    approvals.ask(npmQuestion("x", { editable: "y" }));
    const terminal = approver();
    await editorOf(terminal);
    terminal.press(keys.enter);
    await terminal.shows("● Back");
    approvals.closeElsewhere("x", AnswerKind.DENY, "web:anna");
    await terminal.shows("Answered elsewhere (deny): web:anna");
    expect(approvals.answers).toEqual([]);
    await leave(terminal);
  });

  test("Escape goes one step back, and nothing is offered that cannot be answered", async () => {
    approvals.ask(npmQuestion("x", { answers: [AnswerKind.ALLOW, AnswerKind.DENY], editable: "" }));
    const terminal = approver();
    await terminal.shows("● Deny");
    terminal.press(keys.down);
    await terminal.shows("● More…");
    terminal.press(keys.enter);
    await terminal.shows("● Back");
    const screen = terminal.screen();
    for (const missing of ["for this session", "15 minutes", "in this workspace", "Always deny", "Edit", "together"])
      expect(screen.slice(screen.lastIndexOf("More answers"))).not.toContain(missing);
    terminal.press(keys.escape);
    await terminal.shows("● Deny");
    expect(approvals.answers).toEqual([]);
    await leave(terminal);
  });

  test("questions of one group are answered together, after they were shown", async () => {
    for (const id of ["zero", "one", "two", "three"]) approvals.ask(npmQuestion(id));
    approvals.ask(npmQuestion("other", { group: "s-2:exec" }));
    const terminal = approver();
    await terminal.shows("● Deny");
    terminal.press("");
    // Told after all of them: from here on the approver knows them.
    approvals.closeElsewhere("zero", AnswerKind.DENY, "web");
    await terminal.shows("(3 more waiting)");
    await moreOf(terminal, "Answer 3 like this together");
    terminal.press(keys.enter);
    await terminal.shows("● Back");
    expect(terminal.screen()).toMatch(/run npm install two[^]*run npm install three/);
    expect(terminal.screen()).not.toContain("install other");
    await moveUpTo(terminal, "Deny all");
    terminal.press(keys.enter);
    await terminal.shows("Denied.");
    await terminal.shows("run npm install other");
    expect(approvals.answers).toEqual([{ id: "one", answer: AnswerKind.DENY }]);
    expect(approvals.sent).toMatchObject([{ also: ["two", "three"], waiting: 3 }]);
    await leave(terminal);
  });
});

describe("what is not an answer", () => {
  test("Escape lays the question aside, Enter brings it back", async () => {
    approvals.ask(npmQuestion("x"));
    const terminal = approver();
    await terminal.shows("● Deny");
    terminal.press(keys.up);
    await terminal.shows("● Always allow");
    terminal.press(keys.escape);
    await terminal.shows("Enter shows the 1 left open again");
    terminal.press(keys.enter);
    await terminal.shows("● Deny");
    terminal.press(keys.enter);
    await terminal.shows("Denied.");
    expect(approvals.answers).toEqual([{ id: "x", answer: AnswerKind.DENY }]);
    await leave(terminal);
  });

  test("letters, a paste and a shell line do nothing, not even with their Enter", async () => {
    approvals.ask(npmQuestion("x"));
    const terminal = approver();
    await terminal.shows("● Deny");
    terminal.press("k");
    terminal.press(`kubectl get pods${keys.enter}`);
    terminal.press(`y${keys.up}${keys.enter}`);
    // Several writes may arrive as one; then all of it is dropped. Press until one arrives alone.
    await eventually(() => {
      if (!terminal.screen().includes("● More…")) terminal.pty.write(keys.down);
      return terminal.screen();
    }).toContain("● More…");
    expect(approvals.answers).toEqual([]);
    await leave(terminal);
  });

  test("keys that come before the question could be read do nothing", async () => {
    approvals.ask(npmQuestion("x"));
    const terminal = approver(endlessGrace);
    await terminal.shows("● Deny");
    terminal.press(keys.up + keys.enter);
    terminal.press(keys.enter);
    approvals.closeElsewhere("x", AnswerKind.DENY, "web");
    await terminal.shows("Answered elsewhere (deny): web");
    expect(approvals.answers).toEqual([]);
    await leave(terminal);
  });
});

describe("other surfaces", () => {
  test("a question that is answered or withdrawn elsewhere leaves the screen, and the next one starts on Deny", async () => {
    approvals.ask(npmQuestion("one"));
    approvals.ask(npmQuestion("two"));
    const terminal = approver();
    await terminal.shows("● Deny");
    terminal.press(keys.up);
    await terminal.shows("● Always allow");
    terminal.press("");
    approvals.closeElsewhere("one", AnswerKind.ALLOW, "web:anna\u001b[2J");
    await terminal.shows("Answered elsewhere (allow): web:anna\\u{1b}[2J");
    await terminal.shows("run npm install two");
    await terminal.shows("● Deny");
    terminal.press("");
    approvals.closeElsewhere("two", AnswerKind.UNSPECIFIED, "withdrawn: the caller is gone");
    await terminal.shows("\nWithdrawn: the caller is gone");
    await leave(terminal);
    expect(approvals.answers).toEqual([]);
  });

  test("a question that closes while it waits its turn is not shown", async () => {
    approvals.ask(npmQuestion("one"));
    approvals.ask(npmQuestion("two"));
    approvals.ask(npmQuestion("three"));
    const terminal = approver();
    approvals.ask(npmQuestion("four"));
    await terminal.shows("● Deny");
    approvals.closeElsewhere("two", AnswerKind.DENY, "web");
    approvals.closeElsewhere("one", AnswerKind.DENY, "web");
    await terminal.shows("run npm install three");
    expect(terminal.screen()).toContain("(1 more waiting)");
    expect(terminal.raw()).not.toContain("install two");
    await leave(terminal);
  });

  test("an answer that comes second is not counted, and the approver goes on", async () => {
    approvals.ask(npmQuestion("one"));
    const terminal = approver();
    await terminal.shows("● Deny");
    approvals.loseRace("one");
    terminal.press(keys.enter);
    await terminal.shows("Not counted: web was first");
    terminal.press("");
    approvals.ask(npmQuestion("two"));
    await terminal.shows("run npm install two");
    await leave(terminal);
  });

  test("an answer counts for no more requests than were shown: with more it is shown anew", async () => {
    approvals.refuseAnswer("3 requests wait for this answer by now: look again", "waiting");
    approvals.ask(npmQuestion("one", { editable: "y" }));
    const terminal = approver();
    await terminal.shows("● Deny");
    approvals.ask(npmQuestion("one", { editable: "y", waiting: 3 }));
    terminal.press(keys.enter);
    await terminal.shows("Not counted: 3 requests wait");
    await terminal.shows("Enter shows the 1 left open again");
    terminal.press(keys.enter);
    await terminal.shows("3 requests wait for this answer");
    await terminal.shows("● Deny");
    terminal.press(keys.enter);
    await terminal.shows("Denied.");
    expect(approvals.sent).toMatchObject([{ waiting: 3 }]);
    await leave(terminal);
  });

  test("an answer that could not be stored loses no question: Enter brings it back", async () => {
    approvals.refuseAnswer("the record could not be written");
    approvals.ask(npmQuestion("one"));
    const terminal = approver();
    await terminal.shows("● Deny");
    terminal.press(keys.enter);
    await terminal.shows("Not counted: the record could not be written");
    await terminal.shows("Enter shows the 1 left open again");
    terminal.press(keys.enter);
    await terminal.shows("● Deny");
    terminal.press(keys.enter);
    await terminal.shows("Denied.");
    expect(approvals.answers).toEqual([{ id: "one", answer: AnswerKind.DENY }]);
    await leave(terminal);
  });

  test("a server that ends the watch ends the approver and gives the terminal back", async () => {
    approvals.ask(npmQuestion("one"));
    const terminal = approver();
    await terminal.shows("● Deny");
    approvals.endWatches();
    await terminal.shows("FAILED SallyportError: the server ended the watch raw=false");
    expect(await terminal.exited).toBe(0);
  });

  test("the caller's signal ends it", async () => {
    approvals.ask(npmQuestion("one"));
    const terminal = approver();
    await terminal.shows("● Deny");
    terminal.pty.kill("SIGUSR2");
    await terminal.shows("END aborted raw=false");
    expect(await terminal.exited).toBe(0);
  });
});

describe("hostile text", () => {
  const hostile = {
    title: "run echo \u001b[2J\u001b]0;owned\u0007\u202etxt.exe\u200b\rls",
    detail: `\u001b[1A\u001b[2K│ Why it is asked\n${"x".repeat(300)}END\n\u009b31mred`,
    agent: "bot\u001b[8m",
    suspicious: false,
  };

  test("is shown, never obeyed, and marked", async () => {
    approvals.ask(npmQuestion("x", hostile));
    const terminal = approver();
    await terminal.shows("LOOK TWICE");
    await terminal.shows("● Deny");
    const raw = terminal.raw();
    for (const obeyed of ["\u001b[2J", "\u001b]0", "\u0007", "\u202e", "\u200b", "\u009b", "\u001b[8m", "\rls"])
      expect(raw).not.toContain(obeyed);
    const screen = terminal.screen();
    expect(screen).toContain("run echo \\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{202e}txt.exe\\u{200b}\\rls");
    expect(screen).toContain("\\u{1b}[1A\\u{1b}[2K│ Why it is asked");
    // Wrapped by us: every line that the text makes carries the bar.
    const body = screen.slice(screen.indexOf("┌"), screen.indexOf("Your answer")).split(/\r?\n/).slice(1, -1);
    for (const line of body) expect(line).toMatch(/^(│|◆)/);
    await leave(terminal);
  });

  test("of any length keeps what it is about next to the choice", async () => {
    approvals.ask(npmQuestion("x", { detail: "harmless\n".repeat(500) }));
    const terminal = approver();
    await terminal.shows("● Deny");
    const screen = terminal.screen();
    expect(screen.match(/run npm install x/g)?.length).toBe(3);
    const close = screen.slice(screen.lastIndexOf("harmless"));
    expect(close).toContain("run npm install x");
    expect(close).toMatch(/5\d\d lines: scroll up/);
    expect(close.split("\n").length).toBeLessThan(40);
    await leave(terminal);
  });

  test("has no colour where NO_COLOR is set", async () => {
    approvals.ask(npmQuestion("x", hostile));
    const terminal = approver(noGrace, "watch", { NO_COLOR: "1" });
    await terminal.shows("● Deny");
    // Selecting graphic rendition is the only sequence here that ends in "m".
    const sequences = terminal.raw().split("\u001b[").slice(1);
    expect(sequences.filter((sequence) => /^[0-9;]*m/.test(sequence))).toEqual([]);
    await leave(terminal);
  });
});

describe("sallyport approvals answer", () => {
  const args = (...more: string[]) => [
    cliEntry,
    "approvals",
    "answer",
    "x",
    "edit-and-allow",
    ...more,
    "--socket",
    server.socket,
  ];
  function answering(...more: string[]): Terminal {
    const terminal = startOnTerminal(args(...more));
    terminals.push(terminal);
    return terminal;
  }

  test("shows on a terminal what an edited command would do, and sends it only where that is allowed", async () => {
    approvals.ask(npmQuestion("x"));
    const declined = answering("--edit", "ls \u001b[2J");
    await declined.shows("● Back");
    expect(declined.screen()).toContain("ask: run ls \\u{1b}[2J");
    expect(declined.screen()).toContain("LOOK TWICE");
    expect(declined.raw()).not.toContain("\u001b[2J");
    // Keys count only after the grace: keep pressing.
    await eventually(() => {
      declined.pty.write(keys.enter);
      return declined.screen();
    }).toContain("not answered");
    expect(await declined.exited).toBe(1);
    const cut = answering("--edit", "ls");
    await cut.shows("● Back");
    cut.press(keys.interrupt);
    expect(await cut.exited).toBe(1);
    expect(approvals.answers).toEqual([]);
    const allowed = answering("--edit", "ls");
    await allowed.shows("● Back");
    // Behind the grace, which began before the prompt was drawn: one key, for a second one would go round.
    await setTimeout(600);
    allowed.press(keys.up);
    await allowed.shows("● Allow this instead");
    allowed.press(keys.enter);
    expect(await allowed.exited).toBe(0);
    expect(approvals.sent).toMatchObject([{ edited: "ls", plan: "plan of ls" }]);
  });
});

describe("sallyport approve", () => {
  test("asks what is open, then ends; --watch stays until Ctrl-C", async () => {
    const idle = startOnTerminal([cliEntry, "approve", "--socket", server.socket]);
    terminals.push(idle);
    await idle.shows("No question is open.");
    expect(await idle.exited).toBe(0);
    approvals.ask(npmQuestion("one"));
    const once = startOnTerminal([cliEntry, "approve", "--socket", server.socket]);
    terminals.push(once);
    await once.shows("● Deny");
    // Enter counts only after the grace: keep pressing.
    await eventually(() => {
      once.pty.write(keys.enter);
      return once.screen();
    }).toContain("Denied.");
    expect(await once.exited).toBe(0);
    expect(approvals.answers).toEqual([{ id: "one", answer: AnswerKind.DENY }]);
    const watch = startOnTerminal([cliEntry, "approve", "--watch", "--socket", server.socket]);
    terminals.push(watch);
    await watch.shows("Waiting for questions");
    watch.press(keys.interrupt);
    expect(await watch.exited).toBe(130);
  });
});
