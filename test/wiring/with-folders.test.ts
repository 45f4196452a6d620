import { expect, it } from "vitest";
import { Problem } from "../../src/model/problem.ts";
import type { SessionFolders } from "../../src/model/session.ts";
import { recordedFolders } from "../../src/wiring/recorded-request.ts";
import { withFolders } from "../../src/wiring/with-folders.ts";
import { auditIn, entry, present } from "../audit/fixture.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";

it("records each request with the folders of its session, and without any where the session is gone", () => {
  const audit = auditIn(temporaryFolder());
  const root = present(parseAbsolutePath("/work"));
  const open = new Map<string, SessionFolders>([
    [entry("x").subject.session, { workspace: root, scopes: [{ root, access: "rw", lasts: "session" }] }],
  ]);
  const recorder = withFolders(audit, {
    get(_caller, id) {
      const found = open.get(id);
      if (found === undefined) throw new Problem("not_found", "there is no such session");
      return found;
    },
  });
  recorder.close(recorder.open(entry("ls")), { kind: "done", facts: {} });
  recorder.refuse({ ...entry("id"), verdict: "deny" });
  open.clear();
  recorder.refuse({ ...entry("id"), verdict: "deny" });
  const found = audit
    .query({ limit: 10 })
    .records.filter(({ kind }) => kind === "opened" || kind === "refused")
    .map(({ body }) => recordedFolders(body)?.scopes.length);
  // The newest first.
  expect(found).toEqual([undefined, 1, 1]);
});
