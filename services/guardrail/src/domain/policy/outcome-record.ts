import type { MaskSpan } from "../text/mask-text.ts";
import { type Finding, outcomesFoundMax, type TextOutcome } from "./verdict.ts";

/** Findings and masks of one text that is remembered; a text with more is judged each time. */
const foundMax = 200;

const nothingFound: TextOutcome = [];

/** Findings and masks in an outcome. */
export function foundIn(outcome: TextOutcome): number {
  return outcome.reduce((total, { findings, masks }) => total + findings.length + masks.length, 0);
}

/** The outcomes of one request, as many as may be handed from a thread to the event loop. */
export class OutcomeRecords {
  readonly outcomes = new Map<number, TextOutcome>();
  #found = 0;

  add(textIndex: number, outcome: TextOutcome | undefined): void {
    if (outcome === undefined) return;
    const found = this.#found + foundIn(outcome);
    if (found > outcomesFoundMax) return;
    this.#found = found;
    this.outcomes.set(textIndex, outcome);
  }
}

/** Collects what each check finds in one text, while it is reported and masked as ever. */
export class OutcomeRecord {
  readonly #masks: readonly MaskSpan[];
  readonly #checks: { findings: readonly Finding[]; masks: readonly MaskSpan[] }[] = [];
  #findings: Finding[] = [];
  #found = 0;
  #masksBefore = 0;
  readonly report: (finding: Finding) => void;

  /** @param masks - The list that the checks add their masks to. */
  constructor(masks: readonly MaskSpan[], report: (finding: Finding) => void) {
    this.#masks = masks;
    this.report = (finding) => {
      this.#found += 1;
      if (!this.#isTooMuch()) this.#findings.push(finding);
      report(finding);
    };
  }

  endCheck(): void {
    if (this.#isTooMuch()) return;
    this.#checks.push({ findings: this.#findings, masks: this.#masks.slice(this.#masksBefore) });
    this.#findings = [];
    this.#masksBefore = this.#masks.length;
  }

  /** Undefined: more was found than is remembered. */
  outcome(): TextOutcome | undefined {
    if (this.#isTooMuch()) return undefined;
    return this.#found + this.#masks.length === 0 ? nothingFound : this.#checks;
  }

  #isTooMuch(): boolean {
    return this.#found + this.#masks.length > foundMax;
  }
}
