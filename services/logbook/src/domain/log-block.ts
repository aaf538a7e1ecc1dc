import { KindNumbers } from "@gatehouse/async";
import { logColumnList } from "@gatehouse/gateway-log";
import type { LogEntry } from "./log-entry.ts";

/**
 * Entries that are one row. What many have in common is in it once: an entry's kind is its place in `kinds`, each of which stands
 * for all entries that agree in what blocks hold by kind.
 */
export interface LogBlock {
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** In the order in which they came. */
  readonly entries: readonly LogEntry[];
  /** Milliseconds after the first, by entry. */
  readonly offsetsMs: readonly number[];
  /** The first entry of each kind. */
  readonly kinds: readonly LogEntry[];
  /** By entry, from 1. */
  readonly kindNumbers: readonly number[];
}

/** Entries of a block; ids of entries are numbered by it. */
export const blockEntriesMax = 500;
/** Kinds of a block: to look a kind up takes Postgres a walk through those before it. */
export const blockKindsMax = 100;
/** Blocks begin and end within one such part of a day (UTC), so that a moment is sought in few blocks, and a day is dropped whole. */
export const blockSpanMs = 600_000;

/** Makes blocks of entries; those of one moment and message are one as a rule. */
export function toBlocks(
  entries: readonly LogEntry[],
  /** The beginning of what is kept: older entries are left out. */
  sinceMs: number,
  /** The latest moment of an entry: a clock that is ahead must not put entries where no partition is. */
  untilMs: number,
): readonly LogBlock[] {
  const open = new Map<number, BlockBuilder>();
  const builders: BlockBuilder[] = [];
  for (const entry of entries) {
    if (entry.at_ms < sinceMs) continue;
    const atMs = Math.min(Math.round(entry.at_ms), untilMs);
    const part = Math.floor(atMs / blockSpanMs);
    let builder = open.get(part);
    if (builder === undefined || builder.isFull) {
      builder = new BlockBuilder();
      open.set(part, builder);
      builders.push(builder);
    }
    builder.add(entry, atMs);
  }
  return builders.map((builder) => builder.finish());
}

class BlockBuilder {
  readonly entries: LogEntry[] = [];
  readonly #timesMs: number[] = [];
  readonly #kinds = new LogKinds();
  readonly #kindNumbers: number[] = [];

  get isFull(): boolean {
    return this.entries.length >= blockEntriesMax || this.#kinds.firsts.length >= blockKindsMax;
  }

  add(entry: LogEntry, atMs: number): void {
    this.entries.push(entry);
    this.#timesMs.push(atMs);
    this.#kindNumbers.push(this.#kinds.numberOf(entry));
  }

  finish(): LogBlock {
    const firstAtMs = Math.min(...this.#timesMs);
    return {
      firstAtMs,
      lastAtMs: Math.max(...this.#timesMs),
      entries: this.entries,
      offsetsMs: this.#timesMs.map((atMs) => atMs - firstAtMs),
      kinds: this.#kinds.firsts,
      kindNumbers: this.#kindNumbers,
    };
  }
}

/** Columns that all entries of a kind agree in. */
const kindNames = logColumnList.flatMap(({ name, byKind }) =>
  byKind === undefined || name === "details" ? [] : [name],
);

class LogKinds extends KindNumbers<LogEntry> {
  protected override groupOf(entry: LogEntry): string {
    return entry.user_name ?? entry.endpoint_uuid ?? "";
  }

  /** Whether two entries agree in `kindNames`. Written out, since a walk through the names takes several times as long. */
  protected override isOfKind(entry: LogEntry, kind: LogEntry): boolean {
    return (
      entry.token_id === kind.token_id &&
      entry.status === kind.status &&
      entry.attempts === kind.attempts &&
      entry.model === kind.model &&
      entry.provider === kind.provider &&
      entry.user_name === kind.user_name &&
      entry.route === kind.route &&
      entry.error_code === kind.error_code &&
      entry.error === kind.error &&
      entry.endpoint_uuid === kind.endpoint_uuid &&
      entry.project_uuid === kind.project_uuid
    );
  }

  /** No text holds NUL, and an absent one differs from an empty one, so that no two kinds share one key. */
  protected override keyOf(entry: LogEntry): string {
    const values = kindNames.map((name) => entry[name] ?? null);
    return values.map((value) => (value === null ? "" : `=${value}`)).join("\0");
  }
}
