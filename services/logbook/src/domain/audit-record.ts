import { hash } from "node:crypto";
import type { EventSource } from "@gatehouse/audit";

/** The chain of events that concern the whole gateway. Every project's has its uuid for a name. */
const gatewayChain = "";

/** The hash before the first row of a chain: 32 zero bytes, in hex. */
export const genesisHash = "0".repeat(64);

/** An audit event in the form in which it is stored and hashed. */
export interface AuditRecord {
  readonly eventId: string;
  readonly atMs: number;
  readonly event: string;
  readonly severity: string;
  readonly actor: string;
  readonly projectId: number | null;
  readonly projectUuid: string | null;
  readonly projectName: string | null;
  readonly target: string;
  /** JSON text. */
  readonly metadata: string;
  readonly ipAddress: string;
  readonly traceparent: string;
}

/** A record as it comes, with its place among those of its service. */
export interface SourcedRecord {
  readonly record: AuditRecord;
  /** Undefined where the event came without a number, or with that of another service. */
  readonly source: EventSource | undefined;
}

/** A record in its place. Hashes are hex. */
export interface ChainedRecord {
  readonly chain: string;
  readonly sequence: number;
  readonly prevHash: string;
  readonly hash: string;
  readonly record: AuditRecord;
}

/** The last record of a chain: its number, and the hash that covers all before it. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

/** The head of a chain without records. */
export const emptyHead: ChainHead = { sequence: 0, hash: genesisHash };

/** The text that is hashed for a record: a JSON array of its fields in this order. docs/logs.md shows it to auditors. */
function canonicalText(record: AuditRecord): string {
  return JSON.stringify([
    record.eventId,
    record.atMs,
    record.event,
    record.severity,
    record.actor,
    record.projectId,
    record.projectUuid,
    record.projectName,
    record.target,
    record.metadata,
    record.ipAddress,
    record.traceparent,
  ]);
}

/** SHA-256, in hex, of `<previous hash in hex>|<sequence>|<canonical text>` in UTF-8. */
export function chainHash({ prevHash, sequence, record }: Omit<ChainedRecord, "hash" | "chain">): string {
  return hash("sha256", `${prevHash}|${sequence}|${canonicalText(record)}`);
}

/** The chain of a record: its project's, or the gateway's. */
export function chainOf({ projectUuid }: AuditRecord): string {
  return projectUuid ?? gatewayChain;
}

/** Adds records to a chain, in order. */
export function extendChain(chain: string, head: ChainHead, records: readonly AuditRecord[]): readonly ChainedRecord[] {
  const chained: ChainedRecord[] = [];
  let { sequence, hash: last } = head;
  for (const record of records) {
    const prevHash = last;
    sequence += 1;
    last = chainHash({ prevHash, sequence, record });
    chained.push({ chain, sequence, prevHash, hash: last, record });
  }
  return chained;
}
