import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/model/rule.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { admin, agent, draft, sessionsIn } from "./fixture.ts";

const rule = (id: string, expiresAt?: Date): Rule => ({
  id,
  source: "session",
  capability: "shell",
  match: ["make *"],
  exclude: [],
  effect: "allow",
  ...(expiresAt === undefined ? {} : { expiresAt }),
});

describe("a rule of a session that ends by itself", () => {
  it("holds until then, in the list that was compiled, and over a restart", () => {
    const folder = temporaryFolder();
    let now = new Date(0);
    const clock = (): Date => now;
    const sessions = sessionsIn(folder, { clock });
    const { session } = sessions.open(agent("bot"), draft());
    const id = session.subject.session;
    sessions.update(admin, id, { addRules: [rule("a", new Date(1000)), rule("b", new Date(2000)), rule("c")] });
    const before = sessions.get(admin, id).rules;
    now = new Date(999);
    expect(sessions.get(admin, id).rules).toBe(before);
    const again = sessionsIn(folder, { clock });
    expect(again.get(admin, id).rules).toEqual(before);
    now = new Date(1000);
    for (const each of [sessions, again]) {
      const after = each.get(admin, id).rules;
      expect(after.map((kept) => kept.id)).toEqual(["b", "c"]);
      expect(each.get(admin, id).rules).toBe(after);
      expect(each.list(admin)[0]?.rules).toBe(after);
    }
    now = new Date(5000);
    expect(
      sessionsIn(folder, { clock })
        .list(admin)[0]
        ?.rules.map((kept) => kept.id),
    ).toEqual(["c"]);
  });

  it("is an admin's to give, like every one that allows", () => {
    const sessions = sessionsIn(temporaryFolder());
    const bot = agent("bot");
    const { session } = sessions.open(bot, draft());
    const change = { addRules: [rule("a", new Date(Date.now() + 1000))] };
    expect(() => sessions.update(bot, session.subject.session, change)).toThrow("needs an admin");
  });
});
