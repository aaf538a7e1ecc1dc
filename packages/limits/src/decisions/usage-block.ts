import { KindNumbers } from "@gatehouse/async";
import { isUserLedger } from "./known-users.ts";
import type { Month } from "./month.ts";
import type { UsageRow } from "./usage-row.ts";

/** Rows that agree in the fields of `UsageKinds`, with the first of them and their sums. */
export interface UsageKind {
  readonly first: UsageRow;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  costMicros: number;
}

/** Usage rows that are stored as one row: of one month, and either of endpoints' ledgers or of users', whose rows are deleted earlier. */
export interface UsageBlock {
  readonly month: Month;
  readonly isOfUsers: boolean;
  readonly firstAtMs: number;
  readonly rows: readonly UsageRow[];
  readonly kinds: readonly UsageKind[];
  /** Index of each row's kind in `kinds`, from 1. */
  readonly kindNumbers: readonly number[];
}

/** First rows of all kinds of blocks, which have every ledger and paying replica of the rows. */
export function firstsOf(blocks: readonly UsageBlock[]): readonly UsageRow[] {
  return blocks.flatMap(({ kinds }) => kinds.map(({ first }) => first));
}

/** Groups rows into blocks: usually one; more where a month ends among them or users have budgets. */
export function toUsageBlocks(rows: readonly UsageRow[]): readonly UsageBlock[] {
  const builders = new Map<string, BlockBuilder>();
  let last: BlockBuilder | undefined;
  for (const row of rows) {
    const isOfUsers = isUserLedger(row.endpointUuid);
    if (last?.month !== row.month || last.isOfUsers !== isOfUsers) {
      const key = `${row.month} ${isOfUsers}`;
      last = builders.get(key) ?? new BlockBuilder(row.month, isOfUsers);
      builders.set(key, last);
    }
    last.add(row);
  }
  return [...builders.values()];
}

class BlockBuilder implements UsageBlock {
  readonly month: Month;
  readonly isOfUsers: boolean;
  firstAtMs = Number.MAX_SAFE_INTEGER;
  readonly rows: UsageRow[] = [];
  readonly kinds: UsageKind[] = [];
  readonly kindNumbers: number[] = [];
  readonly #numbers = new UsageKinds();

  constructor(month: Month, isOfUsers: boolean) {
    this.month = month;
    this.isOfUsers = isOfUsers;
  }

  add(row: UsageRow): void {
    const number = this.#numbers.numberOf(row);
    this.rows.push(row);
    this.kindNumbers.push(number);
    this.firstAtMs = Math.min(this.firstAtMs, Math.floor(row.settledAtMs));
    const kind = this.kinds[number - 1] ?? this.#begin(row);
    kind.requests += 1;
    kind.promptTokens += row.promptTokens;
    kind.completionTokens += row.completionTokens;
    kind.costMicros += row.costMicros;
  }

  #begin(first: UsageRow): UsageKind {
    const kind = { first, requests: 0, promptTokens: 0, completionTokens: 0, costMicros: 0 };
    this.kinds.push(kind);
    return kind;
  }
}

class UsageKinds extends KindNumbers<UsageRow> {
  protected override groupOf(row: UsageRow): string {
    return row.user ?? row.endpointUuid;
  }

  protected override isOfKind(row: UsageRow, kind: UsageRow): boolean {
    return (
      row.tokenId === kind.tokenId &&
      row.outcome === kind.outcome &&
      row.priceUnknown === kind.priceUnknown &&
      row.estimated === kind.estimated &&
      row.model === kind.model &&
      row.provider === kind.provider &&
      row.user === kind.user &&
      row.endpointUuid === kind.endpointUuid &&
      row.projectUuid === kind.projectUuid &&
      row.replicaId === kind.replicaId
    );
  }

  /** No text contains NUL (`toUsageRow`), so that keys are unambiguous. */
  protected override keyOf(row: UsageRow): string {
    const { endpointUuid, projectUuid, replicaId, tokenId, user, provider, model, outcome, priceUnknown, estimated } =
      row;
    const caller = `${endpointUuid}\0${projectUuid}\0${replicaId}\0${tokenId}\0${user ?? "\0"}`;
    return `${caller}\0${provider ?? "\0"}\0${model ?? "\0"}\0${outcome}\0${priceUnknown}\0${estimated}`;
  }
}
