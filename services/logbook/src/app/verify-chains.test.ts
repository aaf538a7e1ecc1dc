import { expect, test } from "vitest";
import { type AuditRecord, type ChainedRecord, chainHash, emptyHead, extendChain } from "../domain/audit-record.ts";
import { verifyChains } from "./verify-chains.ts";

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
  readonly checkpoint?: ChainedRecord | undefined;
}

async function verify(rows: readonly ChainedRecord[], known: Known = {}) {
  const toMap = (row: ChainedRecord | undefined) => new Map(row === undefined ? [] : [[row.chain, row]]);
  return await verifyChains({
    rows: inBatches(rows),
    heads: toMap(known.head),
    checkpoints: toMap(known.checkpoint),
  });
}

/** An attacker who knows how hashes are made rewrites a row. */
function rewrite(row: ChainedRecord, changes: Partial<AuditRecord>, prevHash = row.prevHash): ChainedRecord {
  const record = { ...row.record, ...changes };
  return { ...row, record, prevHash, hash: chainHash({ prevHash, sequence: row.sequence, record }) };
}

test("chains that nobody has touched hold, whatever their batches", async () => {
  const [one, two] = [chainOfLength(7), chainOfLength(5, "project")];
  expect(await verify([...one, ...two], { head: one[6], checkpoint: two[4] })).toEqual({
    rows: 12,
    chains: 2,
    faults: [],
  });
  expect(await verify([])).toEqual({ rows: 0, chains: 0, faults: [] });
});

test("rows that came after the head was read are no fault", async () => {
  const rows = chainOfLength(7);
  expect((await verify(rows, { head: rows[3] })).faults).toEqual([]);
});

test("a row whose own hash was made anew is found by the next one", async () => {
  const rows = chainOfLength(7).map((row) => (row.sequence === 4 ? rewrite(row, { actor: "nobody" }) : row));
  expect((await verify(rows)).faults).toMatchObject([{ kind: "edited", sequence: 4 }]);
});

test("a chain that was made anew from a row on is found by its head, or by a checkpoint", async () => {
  const rows = chainOfLength(7);
  const forged: ChainedRecord[] = [];
  for (const row of rows) {
    const prevHash = forged.at(-1)?.hash ?? row.prevHash;
    forged.push(row.sequence < 4 ? row : rewrite(row, row.sequence === 4 ? { actor: "nobody" } : {}, prevHash));
  }
  expect((await verify(forged)).faults).toEqual([]);
  expect((await verify(forged, { head: rows[6] })).faults).toMatchObject([{ kind: "edited", sequence: 7 }]);
  expect((await verify(forged, { checkpoint: rows[4] })).faults).toMatchObject([
    { kind: "edited", sequence: 5, detail: expect.stringContaining("signed checkpoint") as string },
  ]);
});

test("two rows that changed places are found", async () => {
  const rows = chainOfLength(7);
  const [first, second, third, ...rest] = rows;
  const swapped = [first, third, second, ...rest] as ChainedRecord[];
  expect((await verify(swapped)).faults).toMatchObject([{ kind: "missing", sequence: 2 }]);
});

test("only the first fault of a chain is named, and every row is counted", async () => {
  const rows = chainOfLength(9).filter(({ sequence }) => sequence !== 2 && sequence !== 6);
  const verified = await verify(rows);
  expect(verified.rows).toBe(7);
  expect(verified.faults).toMatchObject([{ kind: "missing", sequence: 2 }]);
});
