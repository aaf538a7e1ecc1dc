import { setTimeout as delay } from "node:timers/promises";
import type { ControlPlaneClient, Json } from "@gatehouse/e2e";

/** Accounting of a run: changes, events and costs that must survive all faults. */
export interface ProofOutcome {
  /** Changes acknowledged by the Control Plane. */
  readonly acknowledged: number;
  /** Acknowledged changes that are missing. */
  readonly lost: number;
  /** Acknowledged changes without an audit event, and duplicate events. */
  readonly unaudited: number;
  readonly auditedTwice: number;
  readonly isChainWhole: boolean;
  /** US dollars: the budget, the cost of answered calls under it, and the billed amount. */
  readonly budget: number;
  readonly answeredCost: number;
  readonly billed: number;
}

export interface Metered {
  readonly project: string;
  readonly endpoint: string;
}

/** US dollars: a call of the metered endpoint, of one token each way, and the endpoint's budget. */
export const metered = { callCost: 0.002, budget: 4 } as const;
/** Longest wait for pending events. */
const settleMs = 30_000;
const pollMs = 500;
const pageSize = 200;
const micros = 1e6;

/** Records acknowledged changes, and compares them with the final state. */
export class Proof {
  readonly #control: ControlPlaneClient;
  readonly #metered: Metered;
  readonly #tokenIds = new Set<number>();
  #answered = 0;

  constructor(control: ControlPlaneClient, place: Metered) {
    this.#control = control;
    this.#metered = place;
  }

  /** @param text the reply to the creation of a token */
  noteToken(text: string): void {
    const { result } = JSON.parse(text) as {
      readonly result?: { readonly structuredContent?: { readonly id: number } };
    };
    if (result?.structuredContent !== undefined) this.#tokenIds.add(result.structuredContent.id);
  }

  noteAnswer(): void {
    this.#answered += 1;
  }

  async check(): Promise<ProofOutcome> {
    const { project, endpoint } = this.#metered;
    const acknowledged = [...this.#tokenIds];
    const untilMs = performance.now() + settleMs;
    let audited = await this.#auditedTokens();
    while (acknowledged.some((id) => !audited.has(id)) && performance.now() < untilMs) {
      await delay(pollMs);
      audited = await this.#auditedTokens();
    }
    const tokens = await this.#pages<{ readonly id: number }>("svc_list_tokens", "tokens", { project });
    const there = new Set(tokens.map(({ id }) => id));
    const { ok } = await this.#control.call<{ readonly ok: boolean }>("svc_verify_audit_log");
    const usage = await this.#control.call<Usage>("svc_get_usage", { project });
    return {
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((id) => !there.has(id)).length,
      unaudited: acknowledged.filter((id) => !audited.has(id)).length,
      auditedTwice: [...audited.values()].filter((times) => times > 1).length,
      isChainWhole: ok,
      budget: metered.budget,
      answeredCost: this.#answered * metered.callCost,
      billed: usage.endpoints.find(({ slug }) => slug === endpoint)?.cost_usd ?? 0,
    };
  }

  /** Number of audit events per created token. */
  async #auditedTokens(): Promise<ReadonlyMap<number, number>> {
    const query = { project: this.#metered.project, event: "token.created" };
    const entries = await this.#pages<AuditEntry>("svc_query_audit_log", "entries", query);
    const times = new Map<number, number>();
    for (const { metadata } of entries) times.set(metadata.token_id, (times.get(metadata.token_id) ?? 0) + 1);
    return times;
  }

  async #pages<Row>(operation: string, list: string, query: Json): Promise<Row[]> {
    const rows: Row[] = [];
    let cursor: unknown;
    do {
      const page: Json = await this.#control.call(operation, {
        ...query,
        limit: pageSize,
        ...(typeof cursor === "string" ? { cursor } : {}),
      });
      rows.push(...((page[list] ?? []) as Row[]));
      cursor = page["next_cursor"];
    } while (typeof cursor === "string");
    return rows;
  }
}

interface AuditEntry {
  readonly metadata: { readonly token_id: number };
}

interface Usage {
  readonly endpoints: readonly { readonly slug: string; readonly cost_usd: number }[];
}

/** Whether no acknowledged change is lost, the chain is intact, and the budget was neither exceeded nor billed too low. */
export function isKept(outcome: ProofOutcome): boolean {
  const { lost, unaudited, auditedTwice, isChainWhole, budget, answeredCost, billed } = outcome;
  const isBudgetExact = toMicros(billed) <= toMicros(budget) && toMicros(answeredCost) <= toMicros(billed);
  return lost + unaudited + auditedTwice === 0 && isChainWhole && isBudgetExact;
}

function toMicros(dollars: number): number {
  return Math.round(dollars * micros);
}

export interface MemoryReading {
  readonly atMs: number;
  readonly megabytes: number;
}

/** First part of the readings, excluded as warm-up. */
const warmUpShare = 0.25;
const readingsMin = 8;
const minuteMs = 60_000;

export interface MemorySlope {
  /** Growth of memory, megabytes per minute. */
  readonly perMinute: number;
  /** Standard error of the slope; a slope of less than twice this is not significant. */
  readonly error: number;
}

/** Least-squares slope; undefined for too few readings. */
export function memorySlope(readings: readonly MemoryReading[]): MemorySlope | undefined {
  const warm = readings.slice(Math.floor(readings.length * warmUpShare));
  if (warm.length < readingsMin) return undefined;
  const meanAt = warm.reduce((sum, { atMs }) => sum + atMs, 0) / warm.length;
  const mean = warm.reduce((sum, { megabytes }) => sum + megabytes, 0) / warm.length;
  let [covariance, variance] = [0, 0];
  for (const { atMs, megabytes } of warm) {
    covariance += (atMs - meanAt) * (megabytes - mean);
    variance += (atMs - meanAt) ** 2;
  }
  if (variance === 0) return undefined;
  const slope = covariance / variance;
  const rest = warm.reduce((sum, { atMs, megabytes }) => sum + (megabytes - mean - slope * (atMs - meanAt)) ** 2, 0);
  const error = Math.sqrt(rest / (warm.length - 2) / variance);
  return { perMinute: slope * minuteMs, error: error * minuteMs };
}
