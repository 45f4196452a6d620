import { describe, expect, it } from "vitest";
import type { StatAction } from "../../src/model/action.ts";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import type { EntryId, SessionId } from "../../src/model/ids.ts";
import { Permit } from "../../src/model/permit.ts";

const action: StatAction = { kind: "stat", path: "/work/a" as AbsolutePath, session: "s" as SessionId };
const entry = "e1" as EntryId;

describe("a permit", () => {
  it("gives its action once", () => {
    const permit = Permit.issue(action, entry);
    expect(Permit.redeem(permit, "stat")).toBe(action);
    expect(() => Permit.redeem(permit, "stat")).toThrow("used before");
  });

  it("is refused for another kind", () => {
    const permit = Permit.issue(action, entry);
    // @ts-expect-error a stat permit is no read permit
    expect(() => Permit.redeem(permit, "read")).toThrow("cannot read");
  });

  it("cannot be forged by shape, by prototype or by hand", () => {
    // @ts-expect-error a look-alike does not compile
    expect(() => Permit.redeem({ entry }, "stat")).toThrow("forged");
    const posed = Object.create(Permit.prototype) as Permit<StatAction>;
    expect(() => Permit.redeem(posed, "stat")).toThrow("forged");
    // @ts-expect-error the request itself is no permit
    expect(() => Permit.redeem(action, "stat")).toThrow("forged");
    // @ts-expect-error the constructor is private
    const byHand = (): unknown => new Permit(action, entry);
    expect(byHand).toBeTypeOf("function");
  });
});
