import { describe, expect, it } from "vitest";
import { commandText, editedIntent } from "../../src/gate/edited-intent.ts";
import type { ExecIntent } from "../../src/model/intent.ts";
import { path, shell } from "../policy/world.ts";

const text: ExecIntent = shell("ls");
const argv: ExecIntent = { ...text, command: { kind: "argv", argv: ["ls", "a b"] } };

describe("a command that a person changes", () => {
  it("stays shell text, or words, and keeps everything else", () => {
    expect(commandText(text)).toBe("ls");
    expect(editedIntent(text, "ls -l\n")).toEqual({
      ...text,
      command: { kind: "shell", shell: "bash", text: "ls -l\n" },
    });
    expect(commandText(argv)).toBe('["ls","a b"]');
    expect(editedIntent(argv, ' ["rm", ""] ')).toEqual({ ...argv, command: { kind: "argv", argv: ["rm", ""] } });
  });

  it.each([
    [text, ""],
    [text, " \n"],
    [text, "a\0b"],
    [text, "\ud800"],
    [text, "x".repeat(32_769)],
    [argv, "ls"],
    [argv, "[]"],
    [argv, '[""]'],
    [argv, '["ls", 1]'],
    [argv, '{"0":"ls"}'],
    [argv, String.raw`["ls", "a\u0000"]`],
    [argv, String.raw`["ls", "\ud800"]`],
    [argv, JSON.stringify(Array.from({ length: 4097 }, () => "a"))],
    [argv, JSON.stringify(["x".repeat(131_072)])],
  ])("%# is refused where it is none", (intent, edited) => {
    expect(() => editedIntent(intent, edited)).toThrow(expect.objectContaining({ field: "edited" }));
  });

  it("is nothing for what has no command", () => {
    const stat = { kind: "stat", path: path("/a") } as const;
    expect(commandText(stat)).toBeUndefined();
    expect(() => editedIntent(stat, "ls")).toThrow("only a command");
  });
});
