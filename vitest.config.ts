import { defineConfig } from "vitest/config";

// One project a kind of test: `unit` needs nothing but Node, `integration` needs a container engine and the built images.
export default defineConfig({
  test: {
    reporters: ["default", "./test/closing-line-reporter.ts"],
    // Generous: the machine may be loaded. A hang still ends.
    setupFiles: ["./test/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/**/*.integration.test.ts"], maxWorkers: 2 } },
      { extends: true, test: { name: "integration", include: ["test/**/*.integration.test.ts"], testTimeout: 180_000, maxWorkers: 1, fileParallelism: false } },
    ],
  },
});
