import { expect, test } from "vitest";
import { type AuditRecord, type ChainedRecord, chainHash, emptyHead, extendChain } from "../domain/audit-record.ts";
import { decodeVerifyPlace, encodeVerifyPlace, type VerifyPlace } from "../domain/verify-cursor.ts";
import { leadsThrough, type Verification, verifyChains } from "./verify-chains.ts";

function recordOf(at: number): AuditRecord {
  return {
    eventId: `event-${at}`,
    atMs: at,
    event: "token.created",
    severity: "info",
    actor: "system",
    projectId: null,
    projectUuid: null,
    projectName: null,
    target: "t",
    metadata: "{}",
    ipAddress: "",
    traceparent: "",
  };
}

const chainOfLength = (length: number, chain = "") =>
  extendChain(
    chain,
    emptyHead,
    Array.from({ length }, (_, at) => recordOf(at)),
  );

async function* inBatches(rows: readonly ChainedRecord[], size = 3) {
  await Promise.resolve();
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

interface Known {
  readonly head?: ChainedRecord | undefined;
  readonly checkpoints?: readonly (ChainedRecord | undefined)[];
}

function toHeads({ head }: Known): ReadonlyMap<string, ChainedRecord> {
  return new Map(head === undefined ? [] : [[head.chain, head]]);
}

function toCheckpoints({ checkpoints = [] }: Known): ReadonlyMap<string, readonly ChainedRecord[]> {
  return Map.groupBy(
    checkpoints.filter((row) => row !== undefined),
    ({ chain }) => chain,
  );
}

async function verify(rows: readonly ChainedRecord[], known: Known = {}) {
  return await verifyChains({ rows: inBatches(rows), heads: toHeads(known), checkpoints: toCheckpoints(known) });
}

/** An attacker who knows how hashes are made rewrites a row. */
function rewrite(row: ChainedRecord, changes: Partial<AuditRecord>, prevHash = row.prevHash): ChainedRecord {
  const record = { ...row.record, ...changes };
  return { ...row, record, prevHash, hash: chainHash({ prevHash, sequence: row.sequence, record }) };
}

test("unchanged chains verify, in any batches", async () => {
  const [one, two] = [chainOfLength(7), chainOfLength(5, "project")];
  expect(await verify([...one, ...two], { head: one[6], checkpoints: [two[4]] })).toEqual({
    rows: 12,
    chains: 2,
    faults: [],
  });
  expect(await verify([])).toEqual({ rows: 0, chains: 0, faults: [] });
});

test("rows after the known head are not a fault", async () => {
  const rows = chainOfLength(7);
  expect((await verify(rows, { head: rows[3] })).faults).toEqual([]);
});

test("a row with a recomputed hash is found by the next row", async () => {
  const rows = chainOfLength(7).map((row) => (row.sequence === 4 ? rewrite(row, { actor: "nobody" }) : row));
  expect((await verify(rows)).faults).toMatchObject([{ kind: "edited", sequence: 4 }]);
});

/** The chain made again from its fourth row on. */
function forge(rows: readonly ChainedRecord[]): readonly ChainedRecord[] {
  const forged: ChainedRecord[] = [];
  for (const row of rows) {
    const prevHash = forged.at(-1)?.hash ?? row.prevHash;
    forged.push(row.sequence < 4 ? row : rewrite(row, row.sequence === 4 ? { actor: "nobody" } : {}, prevHash));
  }
  return forged;
}

test("a chain rewritten from a row on is found by its head or a checkpoint", async () => {
  const rows = chainOfLength(7);
  const forged = forge(rows);
  expect((await verify(forged)).faults).toEqual([]);
  expect((await verify(forged, { head: rows[6] })).faults).toMatchObject([{ kind: "edited", sequence: 7 }]);
  expect((await verify(forged, { checkpoints: [rows[4]] })).faults).toMatchObject([
    { kind: "edited", sequence: 5, detail: expect.stringContaining("signed checkpoint") as string },
  ]);
});

test("a checkpoint signed after a rewrite does not replace an earlier one", async () => {
  const rows = chainOfLength(7);
  const forged = forge(rows);
  expect((await verify(forged, { checkpoints: [rows[2], rows[4], forged[6]] })).faults).toMatchObject([
    { kind: "edited", sequence: 5, detail: expect.stringContaining("signed checkpoint") as string },
  ]);
});

test("rows lead through checkpoints only if these are in their order", async () => {
  const rows = chainOfLength(7);
  const forged = forge(rows);
  const stopping = new AbortController();
  const leads = async (stored: readonly ChainedRecord[], ...signed: (ChainedRecord | undefined)[]) => {
    const readAfter = (after: number) => inBatches(stored.filter(({ sequence }) => sequence > after));
    const checkpoints = signed.filter((row) => row !== undefined);
    return await leadsThrough("", checkpoints, { readAfter, stopping: stopping.signal });
  };
  expect(await leads(rows, rows[5], rows[1], rows[3])).toBe(true);
  expect(await leads(forged, rows[1], forged[3], forged[5])).toBe(true);
  expect(await leads(forged, rows[1], rows[4], forged[6])).toBe(false);
  expect(await leads(forged, rows[4], forged[4])).toBe(false);
  expect(await leads(rows.slice(0, 5), rows[1], rows[6])).toBe(false);
  // The original rows were put back up to a checkpoint, and the head behind it belongs to the rewritten chain.
  expect(await leads([...rows.slice(0, 5), ...forged.slice(5)], rows[1], rows[4], forged[6])).toBe(false);
  stopping.abort();
  await expect(leads(rows, rows[1], rows[3])).rejects.toThrow("aborted");
});

test("two swapped rows are found", async () => {
  const rows = chainOfLength(7);
  const [first, second, third, ...rest] = rows;
  const swapped = [first, third, second, ...rest] as ChainedRecord[];
  expect((await verify(swapped)).faults).toMatchObject([{ kind: "missing", sequence: 2 }]);
});

test("only the first fault of a chain is reported, and every row is counted", async () => {
  const rows = chainOfLength(9).filter(({ sequence }) => sequence !== 2 && sequence !== 6);
  const verified = await verify(rows);
  expect(verified.rows).toBe(7);
  expect(verified.faults).toMatchObject([{ kind: "missing", sequence: 2 }]);
});

/** Verifies in parts of one batch each. */
async function verifyInParts(rows: readonly ChainedRecord[], known: Known = {}) {
  const parts: Verification[] = [];
  let from: VerifyPlace | undefined;
  do {
    const last = from;
    const isLater = (row: ChainedRecord) =>
      last === undefined || row.chain > last.chain || (row.chain === last.chain && row.sequence > last.sequence);
    const part = await verifyChains({
      rows: inBatches(rows.filter(isLater), 2),
      heads: toHeads(known),
      checkpoints: toCheckpoints(known),
      from: from && decodeVerifyPlace(encodeVerifyPlace(from)),
      mayStop: () => true,
    });
    parts.push(part);
    from = part.next;
  } while (from !== undefined && parts.length < 100);
  const sum = (of: "rows" | "chains") => parts.reduce((total, part) => total + part[of], 0);
  return {
    rows: sum("rows"),
    chains: sum("chains"),
    faults: parts.flatMap((part) => part.faults),
    parts: parts.length,
  };
}

const projectChain = "b2c1f0de-0000-4000-8000-000000000001";

test("a verification in parts finds the faults of a whole one, each once", async () => {
  const [own, other] = [chainOfLength(7), chainOfLength(5, projectChain)];
  const gone = { chain: "a0000000-0000-4000-8000-000000000001", ...chainOfLength(3)[2] } as ChainedRecord;
  const broken = own.filter(({ sequence }) => sequence !== 2 && sequence !== 6);
  const forged = other.map((row) => (row.sequence === 3 ? rewrite(row, { actor: "nobody" }) : row));
  const cut = { chain: projectChain, ...chainOfLength(9, projectChain)[8] } as ChainedRecord;
  for (const [rows, known] of [
    [[...own, ...other], { head: own[6], checkpoints: [other[4]] }],
    [[...broken, ...forged], {}],
    [[...own, ...other], { head: cut, checkpoints: [{ ...gone, chain: "a0000000-0000-4000-8000-000000000001" }] }],
  ] as const) {
    const whole = await verify(rows, known);
    const { parts, ...found } = await verifyInParts(rows, known);
    expect(found).toEqual({
      rows: whole.rows,
      chains: whole.chains,
      faults: expect.arrayContaining([...whole.faults]),
    });
    expect(found.faults).toHaveLength(whole.faults.length);
    expect(parts).toBeGreaterThan(4);
  }
});

test("a checkpoint signed between two parts is compared with the row where the first stopped", async () => {
  const rows = chainOfLength(4);
  const first = await verifyChains({
    rows: inBatches(rows, 2),
    heads: new Map(),
    checkpoints: new Map(),
    mayStop: () => true,
  });
  expect(first.next).toMatchObject({ sequence: 2 });
  const signed = { ...rows[1], hash: "0".repeat(64) } as ChainedRecord;
  const checkpoints = new Map([[signed.chain, [signed]]]);
  const rest = await verifyChains({
    rows: inBatches(rows.slice(2), 2),
    heads: new Map(),
    checkpoints,
    from: first.next,
  });
  expect(rest.faults).toMatchObject([{ sequence: 2, kind: "edited" }]);
});

test.each(["", "x", Buffer.from("1.2.0.").toString("base64url"), "A".repeat(400)])("%j is not a cursor", (cursor) => {
  expect(() => decodeVerifyPlace(cursor)).toThrow("cursor must be the next_cursor of an earlier part");
});
