import { getPriority } from "node:os";
import { afterEach, expect, test } from "vitest";
import { taskModule, WorkerPool, type WorkerPoolOptions } from "../src/index.ts";
import { threadNice } from "../src/yield-to-event-loop.ts";
import type { Probe } from "./tasks/probe.ts";

let pool: WorkerPool<Probe, unknown> | undefined;
afterEach(() => pool?.close());

function poolOf(options: Partial<WorkerPoolOptions> = {}): WorkerPool<Probe, unknown> {
  const module = taskModule(import.meta.url, "./tasks/probe");
  pool = new WorkerPool({ name: "probing", module, threadsMax: 1, memoryMibMax: 64, waitMsMax: 30_000, ...options });
  return pool;
}

const options = { deadlineMs: 30_000, tenant: "a" };

function answer(value: unknown): Probe {
  return { do: "answer", value };
}

test("results are returned, and one thread serves successive tasks", async () => {
  const { run } = boundRun(poolOf());
  const first = await run(answer({ text: "ä" }));
  expect(first).toMatchObject({ value: { text: "ä" } });
  expect(await run(answer(2))).toEqual({ value: 2, threadId: (first as { threadId: number }).threadId });
});

test("a thread can be started before its first task, and one is kept for a time after each wish", async () => {
  const pool = poolOf({ idleMsMax: 20, preparedMsMax: 300, threadsMax: 2 });
  const { run } = boundRun(pool);
  pool.prepare();
  pool.prepare();
  expect(pool.load).toEqual({ threads: 1, queued: 0 });
  const { threadId } = (await run(answer(1))) as { threadId: number };
  await new Promise((resolve) => setTimeout(resolve, 100));
  pool.prepare();
  expect(await run(answer(2))).toMatchObject({ threadId });
  await expect.poll(() => pool.load.threads, { timeout: 5_000 }).toBe(0);
});

test("more threads than the prepared one end when they are idle", async () => {
  const pool = poolOf({ idleMsMax: 20, threadsMax: 2 });
  pool.prepare();
  const spinning = pool.run({ do: "spin" }, { ...options, deadlineMs: 300 });
  await Promise.all([expect(spinning).rejects.toThrow(), boundRun(pool).run(answer(1))]);
  await expect.poll(() => pool.load.threads, { timeout: 5_000 }).toBe(1);
});

test("a prepared thread is replaced once a task's deadline has ended it, and one that cannot start is not", async () => {
  const pool = poolOf();
  pool.prepare();
  await expect(pool.run({ do: "spin" }, { ...options, deadlineMs: 100 })).rejects.toThrow();
  await expect.poll(() => pool.load.threads).toBe(1);
  pool.close();
  const broken = poolOf({ module: taskModule(import.meta.url, "./tasks/broken") });
  broken.prepare();
  await expect(broken.run(answer(1), options)).rejects.toMatchObject({ code: "internal" });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(broken.load.threads).toBe(0);
});

test("a deadline ends the work, fails only that task, and leaves room for the next", async () => {
  const pool = poolOf();
  const late = pool.run({ do: "spin" }, { ...options, deadlineMs: 100 });
  const next = pool.run(answer(1), options);
  await expect(late).rejects.toMatchObject({
    code: "deadline_exceeded",
    message: "The probing took more than 100 ms.",
  });
  expect(await next).toMatchObject({ value: 1 });
  expect(pool.load).toEqual({ threads: 1, queued: 0 });
});

test.runIf(process.platform === "linux")("threads have a lower priority than the event loop", async () => {
  const priority = await poolOf().run({ do: "read_priority" }, options);
  expect(priority).toBe(Math.max(getPriority(), threadNice));
  expect(getPriority()).toBeLessThan(threadNice);
});

test("the event loop runs while a task spins", async () => {
  const spinning = poolOf().run({ do: "spin" }, { ...options, deadlineMs: 300 });
  let turns = 0;
  const turn = setInterval(() => (turns += 1), 1);
  await expect(spinning).rejects.toMatchObject({ code: "deadline_exceeded" });
  clearInterval(turn);
  expect(turns).toBeGreaterThan(50);
});

test.each([
  ["an error of the gateway is returned unchanged", "refuse", { code: "invalid_argument", message: "Not like this." }],
  ["another error is internal", "throw", { code: "internal", cause: { message: "the probe failed" } }],
  ["a thread that exits fails its task", "exit", { code: "internal" }],
  ["a thread that runs out of stack fails its task", "exhaust_stack", { code: "internal" }],
  ["memory is bounded", "exhaust_memory", { cause: { message: "The task used more than 64 MiB of memory." } }],
  ["memory in large pieces is bounded", "exhaust_memory_at_once", { cause: { message: /more than 64 MiB/ } }],
] as const)("%s, and the next task is answered", async (_name, what, error) => {
  const { run } = boundRun(poolOf());
  const failing = run({ do: what });
  const next = run(answer("after"));
  await expect(failing).rejects.toMatchObject(error);
  expect(await next).toMatchObject({ value: "after" });
});

test("an input that cannot be copied fails only its own task", async () => {
  const { run } = boundRun(poolOf());
  await expect(run(answer(() => {}))).rejects.toMatchObject({ code: "internal", cause: { name: "DataCloneError" } });
  expect(await run(answer(1))).toMatchObject({ value: 1 });
});

test("a module that cannot be loaded fails each task with the cause", async () => {
  const module = taskModule(import.meta.url, "./tasks/broken");
  const { run } = boundRun(poolOf({ module }));
  await Promise.all(
    [1, 2].map(async (value) => {
      await expect(run(answer(value))).rejects.toMatchObject({
        code: "internal",
        cause: { message: "no such vocabulary" },
      });
    }),
  );
});

test("tasks wait longer while the only thread starts, within a bound", async () => {
  const module = taskModule(import.meta.url, "./tasks/slow-start");
  const patient = poolOf({ module, waitMsMax: 100 });
  expect(await Promise.all([1, 2].map(async () => await patient.run(answer(1), options)))).toEqual(["ready", "ready"]);
  patient.close();
  const { run } = boundRun(poolOf({ module, waitMsMax: 100, startMsMax: 200 }));
  await expect(run(answer(1))).rejects.toMatchObject({
    code: "internal",
    cause: { message: "A thread for probing took more than 200 ms to start." },
  });
});

test("a full queue and a long wait are refused with a delay, and other tenants still have room", async () => {
  const pool = poolOf({ queuedMax: 4, queuedPerTenantMax: 2, waitMsMax: 3_000 });
  await pool.run(answer(0), options);
  const spinning = pool.run({ do: "spin" }, { ...options, deadlineMs: 8_000 });
  const waiting = ["a", "a", "b"].map(async (tenant) => await pool.run(answer(tenant), { ...options, tenant }));
  const refusal = { code: "unavailable", retryAfterSeconds: 1 };
  await expect(pool.run(answer(0), options)).rejects.toMatchObject(refusal);
  const ends = await Promise.allSettled([...waiting, spinning]);
  expect(ends.map((end) => end.status === "rejected" && (end.reason as { code: string }).code)).toEqual([
    "unavailable",
    "unavailable",
    "unavailable",
    "deadline_exceeded",
  ]);
});

test("an abort rejects at once, for a waiting or running task, and ends no thread", async () => {
  const pool = poolOf();
  const first = (await pool.run(answer(0), options)) as { threadId: number };
  const [running, waiting] = [new AbortController(), new AbortController()];
  const tasks = [
    pool.run({ do: "answer", value: 1, afterMs: 100 }, { ...options, signal: running.signal }),
    pool.run(answer(2), { ...options, signal: waiting.signal }),
  ];
  expect(pool.load.queued).toBe(1);
  waiting.abort();
  running.abort();
  const ends = await Promise.allSettled(tasks);
  expect(ends).toMatchObject([{ reason: { code: "cancelled" } }, { reason: { code: "cancelled" } }]);
  expect(pool.load.queued).toBe(0);
  expect(await pool.run(answer(3), options)).toEqual({ value: 3, threadId: first.threadId });
  await expect(pool.run(answer(4), { ...options, signal: running.signal })).rejects.toMatchObject({
    code: "cancelled",
  });
});

test("an idle thread ends, and closing ends the others", async () => {
  const pool = poolOf({ idleMsMax: 1, threadsMax: 2 });
  await pool.run(answer(0), options);
  await expect.poll(() => pool.load.threads).toBe(0);
  const tasks = [pool.run({ do: "spin" }, options), pool.run({ do: "spin" }, options), pool.run(answer(1), options)];
  await expect.poll(() => pool.load).toEqual({ threads: 2, queued: 1 });
  pool.close();
  const ends = await Promise.allSettled([...tasks, pool.run(answer(2), options)]);
  expect(ends.map((end) => end.status === "rejected" && (end.reason as { code: string }).code)).toEqual(
    Array.from({ length: 4 }, () => "unavailable"),
  );
  await expect.poll(() => pool.load.threads).toBe(0);
});

test("a thread has no environment variables of its process", async () => {
  expect(await boundRun(poolOf()).run({ do: "read_env" })).toEqual([]);
});

function boundRun(pool: WorkerPool<Probe, unknown>) {
  return { run: async (probe: Probe) => await pool.run(probe, options) };
}
