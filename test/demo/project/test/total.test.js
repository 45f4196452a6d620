import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/total.js";

test("adds weights", () => {
  assert.equal(total([120, 80]), 200);
});

test("an empty van weighs nothing", () => {
  assert.equal(total([]), 0);
});
