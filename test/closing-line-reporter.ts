import type { Reporter, TestModule, TestRunEndReason } from "vitest/node";
import type { SerializedError } from "vitest";

/** Prints `N passed, N failed` (and `, N skipped`) as the very last line, counting broken files and stray errors as failures. */
export class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[], reason: TestRunEndReason): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length;
      // A hook that failed leaves its tests skipped, not failed.
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else if (state === "skipped") skipped += 1;
        // A test that never ran to its end is not a pass.
        else failed += 1;
      }
    }
    if (reason === "interrupted" || (reason === "failed" && failed === 0)) failed += 1;
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    process.once("exit", (code) => {
      if (failed > 0 && code === 0) process.exitCode = 1;
      process.stdout.write(`${line}\n`);
    });
  }
}

// vitest loads a reporter by its default export.
// oxlint-disable-next-line import/no-default-export
export { ClosingLineReporter as default };
