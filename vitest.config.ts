import { defineConfig } from "vitest/config";
import { LongestFirst } from "./vitest.longest-first.ts";

/** Tests read workspace packages from source, so no build stands between an edit and its test. */
const conditions = ["@gatehouse/source", "node"];
/** Longest wait of `expect.poll` for a condition: many times what it takes, since the machine may be busy. */
const pollTimeoutMs = 20_000;
/**
 * End-to-end files that run alone: they measure an outage, a restart or a promised figure, or come near the time that a text may be
 * judged for.
 */
const alone = [
  "api-proxy",
  "console/console-figures",
  "console/console-pages",
  "frozen-postgres",
  "guardrails",
  "postgres-failover",
  "provider-faults",
  "restarts",
  "serve",
  "services",
].map((name) => `tests/e2e/test/${name}.e2e.test.ts`);
/** In a browser. Those that keep both cores busy, with lists of 10,000 rows and pictures of every page, are among the former. */
const inBrowser = ["tests/e2e/test/console/*.e2e.test.ts"];
/**
 * Unit files that run in a separate process: they replace the clock, which leaves armed what modules keep for the whole process,
 * replace a module that another file may have loaded before, or compare the CPU of two sizes, which the compiled code of other files
 * changes.
 */
const isolated = [
  "packages/async/src/{guarded,pause}",
  "packages/http/src/awaited-event-stream",
  "packages/json/src/{outline-reader,parse-json}",
  "packages/providers/src/exchange/{attempt-clock,redaction}",
  "packages/service/src/{guard-process,memory-at-rest}",
  "packages/telemetry/src/{logger,loop-delay}",
  "packages/upstream-http/src/event-stream-parser",
  "services/api-proxy/src/domain/proxy-path",
  "services/guardrail/src/app/inspect-task",
  "services/guardrail/src/domain/{injection/addressed,keywords/keywords,policy/json-path,secrets/find-secrets}",
  "services/guardrail/src/domain/{pii/context/find-context,pii/context/hostile-units,text/decode-numbers}",
].map((name) => `${name}.test.ts`);
/** Projects with console files describe the open pages where a test fails. */
const showFailedPages = ["tests/e2e/test/console/show-failed-pages.ts"];
/** Settings of both end-to-end projects, which drive the composed product. */
const composed = {
  globalSetup: ["./packages/postgres/test-setup.ts"],
  testTimeout: 60_000,
  hookTimeout: 180_000,
};
/** Adversary files that measure nothing; the others hold delays and memory of one process, and two at once would measure each other. */
const unmeasured = ["money", "policy", "rights", "spending"].map(
  (name) => `tests/adversary/test/${name}.adversary.test.ts`,
);
/** Settings of both adversary projects, which attack the composed product. */
const attacking = {
  globalSetup: ["./packages/postgres/test-setup.ts"],
  testTimeout: 120_000,
  hookTimeout: 180_000,
};
const roots = "{packages,services,deploy,tools,tests}/*";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Vitest loads global setups in it.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    expect: { poll: { timeout: pollTimeoutMs } },
    setupFiles: ["./vitest.setup.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      // They wait for nothing: only a busy machine makes one take seconds. Loading modules once for all files halves their CPU.
      {
        extends: true,
        test: {
          name: "unit",
          include: [`${roots}/src/**/*.test.ts`],
          exclude: isolated,
          isolate: false,
          testTimeout: 30_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: { name: "unit-isolated", include: isolated, testTimeout: 30_000, sequence: { groupOrder: 4 } },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: [`${roots}/test/**/*.integration.test.ts`],
          globalSetup: ["./packages/postgres/test-setup.ts"],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // A file waits half of its time.
          maxWorkers: 4,
          // Projects with other numbers of workers cannot share a group.
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["tests/e2e/test/**/*.e2e.test.ts"],
          exclude: [...alone, ...inBrowser],
          ...composed,
          // A file waits half of its time: for drains, time-outs and processes that start.
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e-alone",
          include: alone,
          ...composed,
          setupFiles: showFailedPages,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "e2e-console",
          include: inBrowser,
          exclude: alone,
          ...composed,
          setupFiles: showFailedPages,
          // They wait more than they work: for a slow gateway, one that is away, and pages that ask from time to time.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      { extends: true, test: { name: "adversary", include: unmeasured, ...attacking, maxWorkers: 2 } },
      {
        extends: true,
        test: {
          name: "adversary-alone",
          include: ["tests/adversary/test/**/*.adversary.test.ts"],
          exclude: unmeasured,
          ...attacking,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
