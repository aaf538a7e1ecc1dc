import { expect, test } from "vitest";
import { type LogMembers, toMembers } from "./log-columns.ts";
import { LogBatch, membersOf } from "./sealed-batch.ts";

const toBatch = (): { readonly members: readonly LogMembers[]; readonly batch: LogBatch } => {
  const common = { atMs: 1_700_000_000_000, route: "chat_direct", status: 200, durationMs: 3.4 };
  const odd = { ...common, requestId: "\0", error: "\ud800", costMicros: Number.NaN, details: { tool: "\0" } };
  const members = [toMembers({ ...common, requestId: "r" }), toMembers(odd)];
  return { members, batch: new LogBatch(members) };
};

test("a consumer in the same process gets the entries as they are", () => {
  const { members, batch } = toBatch();
  expect(membersOf(batch)).toBe(members);
  expect(membersOf({ id: batch.id, body: batch.body })).toBeUndefined();
});

test("an encoded batch has the same body each time, and only that", () => {
  const { members, batch } = toBatch();
  expect(batch.body).toBe(JSON.stringify(members));
  expect(batch.body).toBe(batch.body);
  expect(membersOf(batch)).toBeUndefined();
});

test("a line of a spill file is the same before and after the batch was encoded", () => {
  const { members, batch } = toBatch();
  const line = JSON.stringify(batch);
  expect(JSON.parse(line)).toEqual({ id: batch.id, body: JSON.stringify(members), entries: 2 });
  expect(JSON.stringify(batch)).toBe(line);
});
