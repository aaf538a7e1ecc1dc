import type { MaskSpan } from "../text/mask-text.ts";
import type { Finding, TextOutcome } from "./verdict.ts";

const nothingFound: TextOutcome = [];

/** Collects what each check finds in one text, while it is reported and masked as ever. */
export class OutcomeRecord {
  readonly #masks: readonly MaskSpan[];
  readonly #checks: { findings: readonly Finding[]; masks: readonly MaskSpan[] }[] = [];
  #findings: Finding[] = [];
  #masksBefore = 0;
  readonly report: (finding: Finding) => void;

  /** @param masks - The list that the checks add their masks to. */
  constructor(masks: readonly MaskSpan[], report: (finding: Finding) => void) {
    this.#masks = masks;
    this.report = (finding) => {
      this.#findings.push(finding);
      report(finding);
    };
  }

  endCheck(): void {
    this.#checks.push({ findings: this.#findings, masks: this.#masks.slice(this.#masksBefore) });
    this.#findings = [];
    this.#masksBefore = this.#masks.length;
  }

  outcome(): TextOutcome {
    const isEmpty = this.#checks.every(({ findings, masks }) => findings.length === 0 && masks.length === 0);
    return isEmpty ? nothingFound : this.#checks;
  }
}
