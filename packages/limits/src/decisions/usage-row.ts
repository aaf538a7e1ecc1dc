import type { Reservation, UsageRecord } from "./allowance.ts";
import { allowanceBounds } from "./bounds.ts";
import type { Month } from "./month.ts";

/** A usage record to be written to the database; also one line of a spill file. */
export interface UsageRow extends UsageRecord {
  readonly callId: string;
  /** Replica whose lease pays for the call, if the lease still exists. */
  readonly replicaId: string;
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly tokenId: number;
  readonly month: Month;
  /** Epoch milliseconds. */
  readonly settledAtMs: number;
  /** Version of the row; of two rows of one call the higher one counts. */
  readonly revision: number;
  /** Whether no row of the call will follow, so that it may be stored in a block. Absent in rows spilled by an earlier version. */
  readonly isFinal?: boolean;
}

/** Line of a spill file: a usage row, and its block, so that a repeated write stores the same block. */
export interface SpilledUsageRow extends UsageRow {
  /** Id of its block; absent where it is stored by itself. */
  readonly block?: string | undefined;
  /** Whether the block was refused as a whole, so that some of its rows may be stored by themselves. */
  readonly isSplit?: boolean | undefined;
}

/** Place of a row among those of its call. */
export type RowPlace = Required<Pick<UsageRow, "revision" | "isFinal">>;

/** Places of rows: the only one, one that may be corrected, and its correction. */
export const rowPlaces = {
  firstAndLast: { revision: 0, isFinal: true },
  correctable: { revision: 0, isFinal: false },
  correction: { revision: 1, isFinal: false },
} as const satisfies Record<string, RowPlace>;

/** Presumed usage of a call that was never settled. */
export function toPresumedUsage({ id }: Reservation, costMicros: number): UsageRecord {
  const tokens = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  const known = { requestId: id, user: null, provider: null, model: null, outcome: "abandoned" } as const;
  return { ...known, ...tokens, costMicros, priceUnknown: false, estimated: true };
}

/** Largest value of the database's `integer`. */
const tokensMax = 2_147_483_647;

/**
 * Makes the row of a settled call. Invalid values of a provider are made storable rather than refused, since every call must be
 * accounted for.
 */
export function toUsageRow(
  { id, request, month }: Reservation,
  usage: UsageRecord,
  settled: RowPlace & Pick<UsageRow, "replicaId" | "settledAtMs">,
): UsageRow {
  return {
    callId: id,
    replicaId: settled.replicaId,
    endpointUuid: request.endpointUuid,
    projectUuid: request.projectUuid,
    tokenId: request.tokenId,
    month,
    settledAtMs: settled.settledAtMs,
    revision: settled.revision,
    isFinal: settled.isFinal,
    requestId: toText(usage.requestId),
    user: toOptionalText(usage.user),
    provider: toOptionalText(usage.provider),
    model: toOptionalText(usage.model),
    outcome: usage.outcome,
    promptTokens: toCount(usage.promptTokens, tokensMax),
    cachedTokens: toCount(usage.cachedTokens, tokensMax),
    completionTokens: toCount(usage.completionTokens, tokensMax),
    reasoningTokens: toCount(usage.reasoningTokens, tokensMax),
    costMicros: toCount(usage.costMicros, Number.MAX_SAFE_INTEGER),
    priceUnknown: usage.priceUnknown,
    estimated: usage.estimated,
  };
}

function toCount(value: number, max: number): number {
  return Number.isNaN(value) ? 0 : Math.min(max, Math.max(0, Math.round(value)));
}

function toOptionalText(text: string | null): string | null {
  return text === null ? null : toText(text);
}

/** Cuts a text, and removes what Postgres refuses. Looks first, since nearly no text has any. */
function toText(text: string): string {
  const cut =
    text.length > allowanceBounds.usageTextLengthMax ? text.slice(0, allowanceBounds.usageTextLengthMax) : text;
  return cut.includes("\0") || !cut.isWellFormed() ? cut.replaceAll("\0", "").toWellFormed() : cut;
}
