import { expect, test } from "vitest";
import { createLineSplitter, formatLogLine } from "./log-view.ts";

test("a service's JSON line is shown with its time, service, level, message and details", () => {
  const line = JSON.stringify({
    level: "warn",
    time: "2026-11-22T10:00:01.123Z",
    pid: 7,
    msg: "NATS is away.",
    port: 1,
  });
  expect(formatLogLine("chat ", line)).toBe('10:00:01.123 chat  warn  NATS is away. {"port":1}');
});

test.each(["plain text", "{not JSON", '{"level":30}', '{"level":30,"time":"x","msg":"m"}'])(
  "%j, which is no log line, is shown as it is",
  (line) => expect(formatLogLine("chat", line)).toBe(`chat ${line}`),
);

test("lines are put together from chunks that cut them, also within a character", () => {
  const lines: string[] = [];
  const split = createLineSplitter((line) => lines.push(line));
  for (const byte of Buffer.from("ä\n\nbc\nd")) split(Buffer.of(byte));
  expect(lines).toEqual(["ä", "bc"]);
});
