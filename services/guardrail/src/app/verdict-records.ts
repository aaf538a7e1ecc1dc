import { createHash } from "node:crypto";
import {
  compareVerdicts,
  type ComparisonCounts,
  type ComparisonPlace,
  noCounts,
} from "../domain/findings/compare-verdicts.ts";
import { type RecordedFinding, recordedFindings } from "../domain/findings/recorded-finding.ts";
import type { PolicyOwner } from "../domain/policy-owner.ts";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import type { Judge } from "../domain/policy/judge.ts";
import type { PolicyDocument } from "../domain/policy/policy-document.ts";
import type { InspectRequest, Verdict } from "../domain/policy/verdict.ts";

/** Findings that wait to be stored; of one project at most a share. */
const waitingMax = 2_000;
const waitingOfProjectMax = 200;
/** Calls that wait to be judged by a policy on trial; more are counted as skipped. */
const onTrialMax = 32;
/** UTF-16 units of their texts, which are kept until then. */
const onTrialUnitsMax = 8_000_000;
/** Places whose calls are counted between two times of storing; calls of more are not counted. */
const comparisonsMax = 10_000;
/** Tenant of all trial work, so that a trial takes no turns from its project's calls. */
const onTrialTenant = "policies on trial";
/** Time for which records gather before they are stored, ms. */
const storeDelayMs = 1_000;

interface Comparison {
  readonly place: ComparisonPlace;
  readonly counts: ComparisonCounts;
}

interface Batch {
  readonly findings: readonly RecordedFinding[];
  readonly comparisons: readonly Comparison[];
}

interface VerdictRecordsOptions {
  readonly judge: Judge;
  readonly storeFindings: (findings: readonly RecordedFinding[]) => Promise<void>;
  readonly storeComparison: (place: ComparisonPlace, counts: ComparisonCounts) => Promise<void>;
  /** Called with the number of findings that are not kept, since too many came at once. */
  readonly onDropped: (count: number) => void;
  readonly onFailure: (err: unknown) => void;
}

/** A question and what was answered. */
export interface Judged {
  readonly owner: PolicyOwner;
  readonly policy: CompiledPolicy;
  readonly request: InspectRequest;
  readonly verdict: Verdict;
}

/**
 * Keeps what the guardrails find, and how a policy on trial would have judged. Behind the answer, never in its way: what waits is
 * bounded, and lost where the database is away.
 */
export class VerdictRecords {
  readonly #options: VerdictRecordsOptions;
  readonly #waitingOf = new Map<string, number>();
  readonly #comparisons = new Map<string, Comparison>();
  #waiting: RecordedFinding[] = [];
  #onTrial = 0;
  #onTrialUnits = 0;
  #isStarted = false;
  /** Runs while something waits. */
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;

  constructor(options: VerdictRecordsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStarted = true;
    this.#storeLater();
  }

  /** Stores what is left. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    await this.#storing;
    await this.store();
  }

  /** Records a judgement of live traffic. Never throws. */
  record(judged: Judged): void {
    this.recordFindings(judged);
    if (judged.policy.shadow !== undefined) this.#compare(judged, judged.policy.shadow);
  }

  /** Records findings without the policy on trial, which judges whole texts only. */
  recordFindings({ owner, policy, request, verdict }: Judged): void {
    if (verdict.findings.length === 0 || policy.document.findings === "off") return;
    const { projectUuid, endpointUuid } = owner;
    const waiting = this.#waitingOf.get(projectUuid) ?? 0;
    if (waiting >= waitingOfProjectMax || this.#waiting.length >= waitingMax) {
      this.#options.onDropped(verdict.findings.length);
      return;
    }
    const excerptsBy = policy.document.findings === "excerpts" ? policy : undefined;
    const found = recordedFindings(request, verdict, { projectUuid, endpointUuid, at: new Date(), excerptsBy });
    this.#waiting.push(...found);
    this.#waitingOf.set(projectUuid, waiting + found.length);
    this.#storeLater();
  }

  #storeLater(): void {
    if (!this.#isStarted || (this.#waiting.length === 0 && this.#comparisons.size === 0)) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Records that arrived while the batch was stored wait for the next one.
      void this.store().then(() => this.#storeLater());
    }, storeDelayMs).unref();
  }

  #compare({ owner, request, verdict }: Judged, shadow: CompiledPolicy): void {
    const { projectUuid, endpointUuid } = owner;
    const policyKey = policyKeyOf(shadow.document);
    const place = { placeUuid: endpointUuid ?? projectUuid, projectUuid, policyKey };
    this.#count(place, "calls");
    const units = request.texts.reduce((sum, { text }) => sum + text.length, 0);
    if (this.#onTrial >= onTrialMax || this.#onTrialUnits + units > onTrialUnitsMax) {
      this.#count(place, "skipped");
      return;
    }
    this.#onTrial += 1;
    this.#onTrialUnits += units;
    const tryOut = async (): Promise<void> => {
      await this.#tryOut(place, async () => {
        const tried = await this.#options.judge(shadow, request, { project: projectUuid, tenant: onTrialTenant });
        return compareVerdicts(verdict, tried);
      });
      this.#onTrial -= 1;
      this.#onTrialUnits -= units;
    };
    // Once the answer is out.
    setImmediate(() => void tryOut());
  }

  /** Never rejects. */
  async #tryOut(place: ComparisonPlace, compare: () => Promise<keyof ComparisonCounts>): Promise<void> {
    try {
      this.#count(place, await compare());
    } catch (err) {
      this.#count(place, "skipped");
      this.#options.onFailure(err);
    }
  }

  /** Adds to the batch that is open now. */
  #count(place: ComparisonPlace, name: keyof ComparisonCounts): void {
    const key = `${place.placeUuid} ${place.policyKey}`;
    if (this.#comparisons.size >= comparisonsMax && !this.#comparisons.has(key)) return;
    const known = this.#comparisons.get(key) ?? { place, counts: { ...noCounts } };
    this.#comparisons.set(key, known);
    known.counts[name] += 1;
    this.#storeLater();
  }

  /** Stores what has come so far. One batch at a time: what comes while a slow database takes one waits, within its bounds. Never rejects. */
  async store(): Promise<void> {
    this.#storing ??= this.#storeBatch(this.#takeBatch()).finally(() => (this.#storing = undefined));
    await this.#storing;
  }

  #takeBatch(): Batch {
    const batch = { findings: this.#waiting, comparisons: [...this.#comparisons.values()] };
    this.#waiting = [];
    this.#waitingOf.clear();
    this.#comparisons.clear();
    return batch;
  }

  async #storeBatch({ findings, comparisons }: Batch): Promise<void> {
    const { storeFindings, storeComparison, onFailure } = this.#options;
    try {
      if (findings.length > 0) await storeFindings(findings);
      for (const { place, counts } of comparisons) await storeComparison(place, counts);
    } catch (err) {
      onFailure(err);
    }
  }
}

const keys = new WeakMap<PolicyDocument, string>();

/** Names a policy by its content, the same in every thread; worked out once for each document. */
export function policyKeyOf(document: PolicyDocument): string {
  let key = keys.get(document);
  if (key === undefined) {
    key = createHash("sha256").update(JSON.stringify(document)).digest("base64url");
    keys.set(document, key);
  }
  return key;
}
