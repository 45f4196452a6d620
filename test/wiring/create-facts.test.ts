import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { defaultPorts } from "../../src/egress/address-rules.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { Intent } from "../../src/model/intent.ts";
import { createJudge } from "../../src/policy/judge.ts";
import { createFacts } from "../../src/wiring/create-facts.ts";
import { findPlaces } from "../../src/wiring/places.ts";
import { present } from "../audit/fixture.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { admin, draft, sessionsIn } from "../sessions/fixture.ts";

it("lets nobody touch Sallyport's settings, rules, state and sockets, the machine's rules among them", () => {
  const base = realpathSync(temporaryFolder());
  const workspace = present(parseAbsolutePath(join(base, "work")));
  mkdirSync(workspace);
  const env = {
    XDG_CONFIG_HOME: join(base, "config"),
    XDG_STATE_HOME: join(base, "state"),
    XDG_RUNTIME_DIR: join(base, "run"),
    SALLYPORT_MANAGED_DIR: join(workspace, "managed"),
  };
  const places = findPlaces(env, {});
  const facts = createFacts(places, {
    allow: [],
    ports: defaultPorts,
    ownAddresses: () => [],
    ownPorts: () => [],
  });
  const { session } = sessionsIn(temporaryFolder()).open(admin, draft({ workspace, mode: "allow-all" }));
  const judge = createJudge({ facts, session: () => session, rules: () => [], now: () => new Date(), mounts: true });
  const verdictOf = (path: string): string => {
    const intent: Intent = {
      kind: "write",
      path: present(parseAbsolutePath(path)),
      disposition: "overwrite",
      makeParents: true,
      mode: 0o644,
    };
    return judge.judge(session.subject, intent).settlement.kind;
  };
  expect(verdictOf(join(workspace, "notes.txt"))).toBe("allow");
  for (const path of [
    ...places.config.managed,
    places.config.user,
    places.config.workspace(workspace),
    join(places.state, "audit.db"),
    places.socket,
  ])
    expect(verdictOf(path), path).toBe("deny");
});
