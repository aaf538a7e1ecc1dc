import { expect, test } from "vitest";
import { toUsageBlocks } from "./usage-block.ts";
import type { UsageRow } from "./usage-row.ts";

function row(changes: Partial<UsageRow> = {}): UsageRow {
  return {
    callId: crypto.randomUUID(),
    replicaId: "r",
    endpointUuid: "11111111-1111-4111-8111-111111111111",
    projectUuid: "22222222-2222-4222-8222-222222222222",
    tokenId: 1,
    month: "2026-03",
    settledAtMs: 1_000,
    revision: 0,
    isFinal: true,
    requestId: "r",
    user: null,
    provider: "p",
    model: "m",
    outcome: "answered",
    promptTokens: 1,
    cachedTokens: 0,
    completionTokens: 2,
    reasoningTokens: 0,
    costMicros: 3,
    priceUnknown: false,
    estimated: false,
    ...changes,
  };
}

test("equal rows are one kind with their sums, in any positions", () => {
  const rows = [row(), row({ tokenId: 2, settledAtMs: 990.7 }), row({ costMicros: 7 })];
  const [block, ...more] = toUsageBlocks(rows);
  expect(more).toEqual([]);
  expect(block).toMatchObject({ month: "2026-03", isOfUsers: false, firstAtMs: 990, kindNumbers: [1, 2, 1], rows });
  expect(block?.kinds).toEqual([
    { first: rows[0], requests: 2, promptTokens: 2, completionTokens: 4, costMicros: 10 },
    { first: rows[1], requests: 1, promptTokens: 1, completionTokens: 2, costMicros: 3 },
  ]);
});

test.each([
  { tokenId: 2 },
  { outcome: "failed" as const },
  { priceUnknown: true },
  { estimated: true },
  { model: null },
  { provider: null },
  { user: "" },
  { endpointUuid: "33333333-3333-4333-8333-333333333333" },
  { projectUuid: "33333333-3333-4333-8333-333333333333" },
  { replicaId: "other" },
])("a row that differs in %o is another kind, among few and among many", (change) => {
  const many = Array.from({ length: 20 }, (_, at) => row({ user: `user-${at}` }));
  for (const before of [[], many]) {
    const [block] = toUsageBlocks([...before, row(), row(change), row(), row(change)]);
    const first = before.length + 1;
    expect(block?.kindNumbers.slice(before.length)).toEqual([first, first + 1, first, first + 1]);
  }
});

test("kinds are found again, also where one user or endpoint has many", () => {
  const of = (changes: (at: number) => Partial<UsageRow>) => Array.from({ length: 20 }, (_, at) => row(changes(at)));
  const kinds = [
    ...of((at) => ({ tokenId: at })),
    ...of((at) => ({ user: "ann", tokenId: at })),
    ...of((at) => ({ user: `user-${at}` })),
  ];
  const [block] = toUsageBlocks([...kinds, ...kinds.toReversed()]);
  const numbers = kinds.map((_, at) => at + 1);
  expect(block?.kindNumbers).toEqual([...numbers, ...numbers.toReversed()]);
});

test("each month is a block, and its ledgers of users another", () => {
  const ofUser = { endpointUuid: "11111111-1111-8111-8111-111111111111" };
  const blocks = toUsageBlocks([row(), row(ofUser), row(), row({ month: "2026-04" }), row(ofUser)]);
  expect(blocks.map(({ month, isOfUsers, rows }) => [month, isOfUsers, rows.length])).toEqual([
    ["2026-03", false, 2],
    ["2026-03", true, 2],
    ["2026-04", false, 1],
  ]);
});
