import { once } from "node:events";
import { expect, test } from "vitest";
import { BodyMeter } from "./request-body.ts";

test("a body that falls silent without a listener ends itself only", async () => {
  const meter = new BodyMeter({ bodySizeBytesMax: 0, idleTimeoutMs: 1 });
  // Not "error": a listener for that would defeat the test.
  const closed = new Promise<void>((resolve) => meter.once("close", resolve));
  await closed;
  expect(meter.destroyed).toBe(true);
});

test("a body over its bound is an error for its listener", async () => {
  const meter = new BodyMeter({ bodySizeBytesMax: 3, idleTimeoutMs: 60_000 });
  const failed = once(meter, "error");
  meter.write("four");
  expect(String((await failed)[0])).toContain("3");
  meter.destroy();
});
