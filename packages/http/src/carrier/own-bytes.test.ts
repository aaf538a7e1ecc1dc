import { expect, test } from "vitest";
import { OwnBytes } from "./own-bytes.ts";

/** A small part of a large read. */
function partOf(bytes: number, fill: string): Buffer {
  return Buffer.alloc(64 * 1024, fill).subarray(0, bytes);
}

test("kept small parts take up little more than their own bytes", () => {
  const own = new OwnBytes();
  const [parts, bytes] = [1_000, 100];
  const kept = Array.from({ length: parts }, (_, at) => own.keep(partOf(bytes, String(at % 10))));
  expect(kept.every((part, at) => part.equals(Buffer.alloc(bytes, String(at % 10))))).toBe(true);
  const held = [...new Set(kept.map(({ buffer }) => buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(held).toBeLessThan(1.1 * parts * bytes);
});

test("a part above the size of the shared buffer is copied exactly", () => {
  const part = new OwnBytes().keep(partOf(10_000, "x"));
  expect(part.equals(Buffer.alloc(10_000, "x"))).toBe(true);
  expect(part.buffer.byteLength).toBe(10_000);
});

test("an empty part, and one that is most of its read, are not copied", () => {
  const own = new OwnBytes();
  for (const part of [partOf(32 * 1024, "x"), partOf(0, "x")]) expect(own.keep(part)).toBe(part);
});
