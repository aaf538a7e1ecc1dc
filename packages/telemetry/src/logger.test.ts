import { GatewayError } from "@gatehouse/errors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogger, inSpan, untraced } from "./index.ts";
import { RepeatedFailures } from "./repeated-failures.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const trace = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${trace}-b7ad6b7169203331-01`;

type Line = Readonly<Record<string, unknown>>;

function openLog() {
  const lines: Line[] = [];
  const destination = { write: (text: string) => void lines.push(JSON.parse(text) as Line) };
  return { lines, log: createLogger({ service: "test", level: "info", destination }) };
}

test("a line in a span has its ids, also after an await, and a line outside has none", async () => {
  const { lines, log } = openLog();
  const span = untraced.start("x", { kind: "server", parent: traceparent });
  await inSpan(span, async () => {
    log.info("before");
    await Promise.resolve();
    log.child({ part: "p" }).warn({ err: new Error("broken") }, "after");
  });
  log.info("outside");
  const ids = { trace_id: trace, span_id: "b7ad6b7169203331" };
  expect(lines).toMatchObject([ids, ids, { msg: "outside" }]);
  expect(lines[2]).not.toHaveProperty("trace_id");
});

test("a repeated failure is logged once a second, with the number of lines and the newest span", () => {
  const { lines, log } = openLog();
  const fail = (parent?: string) =>
    inSpan(untraced.start("x", { kind: "server", parent }), () =>
      log.error({ err: new GatewayError("unavailable", "Away.") }, "A call failed."),
    );
  for (let call = 0; call < 500; call++) fail();
  fail(traceparent);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toHaveProperty("repeated");
  vi.advanceTimersByTime(1_000);
  expect(lines[1]).toMatchObject({ repeated: 500, trace_id: trace, err: { message: "Away." } });
  fail();
  vi.advanceTimersByTime(1_000);
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatchObject({ repeated: 1 });
  vi.advanceTimersByTime(5_000);
  fail();
  expect(lines).toHaveLength(4);
  expect(lines[3]).not.toHaveProperty("repeated");
});

test("a repeated failure without a trace is logged without one, though the first line had one", async () => {
  vi.useRealTimers();
  const { lines, log } = openLog();
  const fail = () => log.error({ err: new Error("away") }, "A call failed.");
  inSpan(untraced.start("x", { kind: "server", parent: traceparent }), fail);
  fail();
  await vi.waitFor(() => expect(lines).toHaveLength(2), 30_000);
  expect(lines[0]).toHaveProperty("trace_id", trace);
  expect(lines[1]).toHaveProperty("repeated", 1);
  expect(lines[1]).not.toHaveProperty("trace_id");
});

test("other failures, other loggers and lines without an error are logged at once", () => {
  const { lines, log } = openLog();
  for (const message of ["one", "other"]) log.warn({ err: new Error(message) }, "It failed.");
  log.child({ part: "p" }).warn({ err: new Error("one") }, "It failed.");
  for (let line = 0; line < 3; line++) log.warn({ file: line }, "A file is damaged.");
  for (let line = 0; line < 3; line++) log.info({ err: new Error("one") }, "It is tried again.");
  expect(lines).toHaveLength(9);
});

test("failures with ever new texts are logged as they come, in bounded memory", () => {
  const failures = new RepeatedFailures();
  let written = 0;
  for (let each = 0; each < 10_000; each++) {
    failures.log("x", { err: new Error(`no ${each}`) }, () => (written += 1));
  }
  expect(written).toBe(10_000);
  expect(failures.size).toBe(256);
  vi.advanceTimersByTime(1_000);
  expect(failures.size).toBe(0);
});
