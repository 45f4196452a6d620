import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/secrets/redactor.ts";
import { createAgents, type Agents } from "../../src/sessions/agents.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { agentId, databaseIn } from "./fixture.ts";

const ann = agentId("ann");
const problem = (code: string): unknown => expect.objectContaining({ code });

function agentsIn(folder: string): Agents {
  return createAgents({ database: databaseIn(folder, "agents.db"), clock: () => new Date(1000) });
}

describe("tokens", () => {
  it("prove an agent and its tier, also after a restart", () => {
    const folder = temporaryFolder();
    const token = agentsIn(folder).createToken(ann, "builder");
    expect(agentsIn(folder).authenticate(token)).toEqual({ agent: "ann", tier: "builder" });
  });

  it("are of 256 random bits, are no text of the store, and are struck out by the redactor", () => {
    const folder = temporaryFolder();
    const agents = agentsIn(folder);
    const tokens = new Set(Array.from({ length: 10 }, () => agents.createToken(ann)));
    expect(tokens.size).toBe(10);
    const stored = ["agents.db", "agents.db-wal"].map((name) => readFileSync(join(folder, name), "latin1")).join("");
    for (const token of tokens) {
      expect(token).toMatch(/^sallyport_[A-Za-z0-9_-]{54}$/);
      expect(stored).not.toContain(token.slice(21));
      expect(createRedactor().redact(`x ${token}`)).toBe("x [redacted:sallyport]");
    }
  });

  it("prove nothing with any change", () => {
    const agents = agentsIn(temporaryFolder());
    const token = agents.createToken(ann);
    const swap = (at: number): string => token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    const wrong = [
      "",
      "sallyport_",
      token.slice(1),
      token.slice(0, -1),
      `${token}A`,
      `${token}\n`,
      swap(10),
      swap(21),
      swap(40),
      token.toUpperCase(),
    ];
    for (const text of wrong) expect(agents.authenticate(text), text).toBeUndefined();
    expect(agents.authenticate(token)).toEqual({ agent: "ann", tier: "read-only" });
  });

  it("keep the tier of a known agent, or change it for all", () => {
    const agents = agentsIn(temporaryFolder());
    const first = agents.createToken(ann, "operator");
    agents.createToken(ann);
    expect(agents.authenticate(first)?.tier).toBe("operator");
    expect(agents.tierOf(ann)).toBe("operator");
    agents.createToken(ann, "read-only");
    expect(agents.authenticate(first)?.tier).toBe("read-only");
    expect(agents.tierOf(ann)).toBe("read-only");
    expect(agents.tierOf(agentId("local"))).toBe("full");
    expect(agents.tierOf(agentId("nobody"))).toBe("read-only");
  });

  it("end when they are revoked, all at once", () => {
    const agents = agentsIn(temporaryFolder());
    const tokens = [agents.createToken(ann, "full"), agents.createToken(ann)];
    const other = agents.createToken(agentId("bob"));
    expect(agents.revokeTokens(ann)).toBe(2);
    expect(agents.revokeTokens(ann)).toBe(0);
    for (const token of tokens) expect(agents.authenticate(token)).toBeUndefined();
    expect(agents.tierOf(ann)).toBe("read-only");
    expect(agents.authenticate(other)?.agent).toBe("bob");
    expect(() => agents.revokeTokens(agentId("nobody"))).toThrow(problem("not_found"));
  });

  it("are bounded, and never the socket owner's", () => {
    const agents = agentsIn(temporaryFolder());
    for (let index = 0; index < 16; index += 1) agents.createToken(ann);
    expect(() => agents.createToken(ann)).toThrow(problem("resource_exhausted"));
    expect(() => agents.createToken(agentId("local"))).toThrow(problem("invalid_argument"));
  });
});

describe("agents", () => {
  it("are listed by name with their tokens", () => {
    const agents = agentsIn(temporaryFolder());
    agents.createToken(agentId("zoe"), "full");
    agents.createToken(ann);
    agents.createToken(ann);
    agents.revokeTokens(agentId("zoe"));
    expect(agents.list()).toEqual([
      { name: "ann", tier: "read-only", createdAt: new Date(1000), tokens: 2 },
      { name: "zoe", tier: "full", createdAt: new Date(1000), tokens: 0 },
    ]);
  });
});

describe("usage", () => {
  it("adds up, across restarts, also for the socket's owner", () => {
    const folder = temporaryFolder();
    const agents = agentsIn(folder);
    agents.createToken(ann);
    expect(agents.usage(ann)).toEqual({ requests: 0, refused: 0, commands: 0, bytes: 0 });
    agents.count(ann, { requests: 1, commands: 1, bytes: 2 ** 40 });
    agents.count(ann, { requests: 1, refused: 1 });
    agents.count(agentId("local"), { requests: 1 });
    agents.flush();
    const again = agentsIn(folder);
    expect(again.usage(ann)).toEqual({ requests: 2, refused: 1, commands: 1, bytes: 2 ** 40 });
    expect(again.usage(agentId("local")).requests).toBe(1);
    expect(() => again.usage(agentId("nobody"))).toThrow(problem("not_found"));
  });

  it("stops nothing when it cannot be stored, and catches up", () => {
    const database = databaseIn(temporaryFolder(), "agents.db");
    const agents = createAgents({ database, clock: () => new Date() });
    database.exec("PRAGMA query_only = ON");
    agents.count(ann, { requests: 1, bytes: 5 });
    agents.count(ann, { requests: 1, bytes: 6 });
    agents.flush();
    expect(agents.usage(ann)).toMatchObject({ requests: 2, bytes: 11 });
    database.exec("PRAGMA query_only = OFF");
    agents.count(ann, { requests: 1 });
    agents.flush();
    expect(database.prepare("SELECT requests, bytes FROM usage").all()).toEqual([{ requests: 3, bytes: 11 }]);
  });
});
