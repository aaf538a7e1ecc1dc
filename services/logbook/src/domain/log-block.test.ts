import { logColumnList } from "@gatehouse/gateway-log";
import fc from "fast-check";
import { expect, test } from "vitest";
import { blockEntriesMax, blockKindsMax, blockSpanMs, toBlocks } from "./log-block.ts";
import type { LogEntry } from "./log-entry.ts";

const bounds = [0, 86_400_000] as const;

const entryWith = (changes: Partial<LogEntry>): LogEntry => ({
  at_ms: 0,
  request_id: "r",
  route: "chat_direct",
  status: 200,
  duration_ms: 1,
  attempts: 1,
  ...changes,
});

const texts = fc.option(fc.constantFrom("", "a", "b", "null"), { nil: undefined });
const entries = fc.array(
  fc
    .record({
      at_ms: fc.integer({ min: 0, max: 3 * blockSpanMs }),
      token_id: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      user_name: texts,
      error: texts,
      provider: texts,
      model: texts,
      status: fc.constantFrom(200, 404),
    })
    .map((changes) => entryWith(changes as Partial<LogEntry>)),
  { maxLength: 60 },
);

const common = ({ token_id, user_name, error, provider, model, status }: LogEntry) => {
  return { token_id, user_name, error, provider, model, status };
};

test("each entry is in one block, with its time and a matching kind", () => {
  const check = (given: readonly LogEntry[]) => {
    const blocks = toBlocks(given, ...bounds);
    const seen = blocks.flatMap((block) =>
      block.entries.map((entry, at) => {
        const kind = block.kinds[(block.kindNumbers[at] ?? 0) - 1];
        expect(kind === undefined ? undefined : common(kind)).toEqual(common(entry));
        expect(block.firstAtMs + (block.offsetsMs[at] ?? -1)).toBe(entry.at_ms);
        return entry;
      }),
    );
    expect(new Set(seen)).toEqual(new Set(given));
    expect(seen).toHaveLength(given.length);
    for (const { firstAtMs, lastAtMs } of blocks)
      expect(Math.floor(firstAtMs / blockSpanMs)).toBe(Math.floor(lastAtMs / blockSpanMs));
  };
  fc.assert(fc.property(entries, check), { seed: 1 });
});

test.each(logColumnList.filter(({ byKind }) => byKind !== undefined))(
  "entries that differ in $name are of two kinds",
  ({ name, type }) => {
    const values = type === "integer" ? [1, 2] : ["a", "b"];
    const given = values.map((value) => entryWith({ [name]: value }));
    const [block] = toBlocks(given, ...bounds);
    expect(block?.kinds).toEqual(given);
  },
);

test("entries with an absent and an empty text are of two kinds, among any number of kinds", () => {
  const before = Array.from({ length: 10 }, (_, at) => entryWith({ user_name: `user-${at}` }));
  const pair = [entryWith({ error: "", model: "" }), entryWith({ provider: "", model: "" })];
  const [block] = toBlocks([...before, ...pair], ...bounds);
  expect(block?.kinds.slice(10)).toEqual(pair);
});

test("kinds are found again, also where one user or endpoint has many", () => {
  const of = (count: number, changes: (at: number) => Partial<LogEntry>) =>
    Array.from({ length: count }, (_, at) => entryWith(changes(at)));
  const kinds = [
    ...of(20, (at) => ({ token_id: at })),
    ...of(20, (at) => ({ user_name: "ann", token_id: at })),
    ...of(20, (at) => ({ user_name: `user-${at}` })),
  ];
  const [block] = toBlocks([...kinds, ...kinds.toReversed()], ...bounds);
  const numbers = kinds.map((_, at) => at + 1);
  expect(block?.kindNumbers).toEqual([...numbers, ...numbers.toReversed()]);
});

test("entries beyond a block's bound fill several blocks, in order", () => {
  const given = Array.from({ length: 2 * blockEntriesMax + 1 }, (_, at) => entryWith({ request_id: `r-${at}` }));
  const blocks = toBlocks(given, ...bounds);
  expect(blocks.map((block) => block.entries.length)).toEqual([blockEntriesMax, blockEntriesMax, 1]);
  expect(blocks.flatMap((block) => block.entries)).toEqual(given);
});

test("kinds beyond a block's bound fill several blocks", () => {
  const given = Array.from({ length: 2 * blockKindsMax + 1 }, (_, at) => entryWith({ user_name: `user-${at}` }));
  const blocks = toBlocks(given, ...bounds);
  expect(blocks.map((block) => block.kinds.length)).toEqual([blockKindsMax, blockKindsMax, 1]);
});

test("entries of expired days are dropped, and times in the future are corrected", () => {
  const [over, ahead] = [entryWith({ at_ms: 999 }), entryWith({ at_ms: 1e15 })];
  const [block, ...more] = toBlocks([over, ahead], 1_000, 2_000);
  expect(more).toEqual([]);
  expect(block).toMatchObject({ firstAtMs: 2_000, lastAtMs: 2_000, entries: [ahead], offsetsMs: [0] });
});
