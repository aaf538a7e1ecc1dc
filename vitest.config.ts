import { defineConfig } from "vitest/config";

/** Tests read workspace packages from source, so no build stands between an edit and its test. */
const conditions = ["@gatehouse/source", "node"];
/** How long `expect.poll` waits for a condition: many times what it takes, since the machine may be busy. */
const pollTimeoutMs = 20_000;
/**
 * End-to-end files that run alone: they measure an outage or a restart, come near the time that a text may be judged for, or keep
 * both cores busy with tabs of a browser.
 */
const alone = [
  "console/*",
  "frozen-postgres",
  "guardrails",
  "postgres-failover",
  "provider-faults",
  "restarts",
  "serve",
  "services",
].map((name) => `tests/e2e/test/${name}.e2e.test.ts`);
/** Of both end-to-end projects, which drive the composed product. */
const composed = {
  globalSetup: ["./packages/postgres/test-setup.ts"],
  testTimeout: 60_000,
  hookTimeout: 120_000,
};
const roots = "{packages,services,deploy,tools,tests}/*";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    expect: { poll: { timeout: pollTimeoutMs } },
    projects: [
      // They wait for nothing: only a busy machine makes one take seconds.
      { extends: true, test: { name: "unit", include: [`${roots}/src/**/*.test.ts`], testTimeout: 30_000 } },
      {
        extends: true,
        test: {
          name: "integration",
          include: [`${roots}/test/**/*.integration.test.ts`],
          globalSetup: ["./packages/postgres/test-setup.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["tests/e2e/test/**/*.e2e.test.ts"],
          exclude: alone,
          ...composed,
          // A file waits half of its time: for drains, time-outs and processes that start.
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e-alone",
          include: alone,
          ...composed,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "adversary",
          include: ["tests/adversary/test/**/*.adversary.test.ts"],
          globalSetup: ["./packages/postgres/test-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Delays and memory of one process are measured: two files at once would measure each other.
          fileParallelism: false,
        },
      },
    ],
  },
});
