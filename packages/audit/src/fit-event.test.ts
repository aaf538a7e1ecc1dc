import { expect, test } from "vitest";
import { eventSizeBytesMax, toFittingText } from "./fit-event.ts";

const event = "upstream.tools_changed";

test("an event of ordinary size is unchanged", () => {
  const body = { event, metadata: { upstream_id: 1, added: ["a", "b"], removed: [] } };
  expect(JSON.parse(toFittingText(body))).toEqual(body);
});

test("an event with too many names is shortened at the ends of its lists", () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `${index}${"名".repeat(250)}`);
  const text = toFittingText({ event, metadata: { upstream_id: 1, added: names, removed: names, changed: ["c"] } });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(eventSizeBytesMax);
  const { metadata } = JSON.parse(text) as { metadata: { added: string[]; changed: string[]; upstream_id: number } };
  expect(metadata.added).toEqual(names.slice(0, metadata.added.length));
  expect(metadata.added.length).toBeGreaterThan(100);
  expect([metadata.changed, metadata.upstream_id]).toEqual([["c"], 1]);
});

test("an event that is too large without its lists is refused", () => {
  expect(() => toFittingText({ event, metadata: { prefix: "x".repeat(eventSizeBytesMax) } })).toThrow("larger than");
});

test("characters that Postgres' JSON cannot hold are replaced", () => {
  const text = toFittingText({ event, metadata: { prefix: "a\0b\ud800c\\u0000", added: ["\0"] } });
  expect(JSON.parse(text)).toEqual({ event, metadata: { prefix: "a\ufffdb\ufffdc\\u0000", added: ["\ufffd"] } });
});
