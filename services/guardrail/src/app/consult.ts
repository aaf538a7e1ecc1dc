import type { Placeholder } from "@gatehouse/placeholders";
import type { AskExternal, ExternalOutcome, ExternalPlace } from "../clients/external-guardrails.ts";
import {
  externalBounds,
  type ExternalDocument,
  externalsFor,
  type ExternalQuestion,
} from "../domain/external/external-document.ts";
import { hasContent } from "../domain/external/external-verdict.ts";
import { replacedSpans } from "../domain/external/replaced-spans.ts";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import { Placeholders } from "../domain/policy/placeholders.ts";
import type { Finding, InspectedText, Verdict } from "../domain/policy/verdict.ts";
import type { NumberMask } from "../domain/text/json-masks.ts";

/** Outcome of a question to the guardrails elsewhere. */
interface Consulted {
  readonly verdict: Verdict;
  /** A guardrail failed that the policy refuses calls without. */
  readonly isRefused: boolean;
}

/** Takes the end of each question, for metrics and the log. */
export type RecordExternal = (external: ExternalDocument, outcome: ExternalOutcome, place: ExternalPlace) => void;

/** Asks the guardrails elsewhere that a policy names. */
export type Consult = (
  policy: CompiledPolicy,
  asked: ExternalQuestion & {
    readonly texts: readonly InspectedText[];
    /** Placeholders so far; absent where masks are not reversible. */
    readonly placeholders?: readonly Placeholder[];
  },
  place: ExternalPlace,
) => Promise<Consulted>;

/**
 * Guardrails before the model are asked one after the other, each with what the one before has left of the texts; those beside it all
 * at once, and what they would replace is blocked, since the model has it by then. A guardrail in `log` mode changes nothing.
 */
export function createConsult(ask: AskExternal, record: RecordExternal): Consult {
  return async (policy, { texts, placeholders: known, ...question }, place) => {
    const externals = externalsFor(policy.document.external, question);
    const placeholders = known && !question.isParallel ? new Placeholders(known, texts) : undefined;
    const run = new Consultation(texts, question, placeholders);
    const askOne = async (external: ExternalDocument) => {
      // Products refuse an empty text, and a judge's verdict on nothing could block.
      if (!hasContent(external.kind, run.texts)) return;
      const numberMask = placeholders && external.mode !== "log" && numberBy(placeholders);
      const asked = { side: question.side, texts: run.texts, ...(numberMask && { numberMask }) };
      const outcome = isTooLarge(asked.texts) ? tooLarge : await ask(external, asked, place);
      record(external, outcome, place);
      run.take(external, outcome);
    };
    if (question.isParallel) {
      await Promise.all(externals.map(askOne));
      return run.result();
    }
    for (const external of externals) {
      await askOne(external);
      if (run.isDecided) break;
    }
    return run.result();
  };
}

/** A mask over an earlier one has no number: a placeholder is no value. */
function numberBy(placeholders: Placeholders): NumberMask {
  return (span, value) => (value.includes("[") ? span : placeholders.number(span, value));
}

/** A caller chooses how long texts are, so this is no failure that `on_failure` could forgive. */
const tooLarge: ExternalOutcome = {
  action: "block",
  message: `It takes at most ${externalBounds.textsMax} texts and ${externalBounds.unitsMax} characters. Send less at once.`,
};

function isTooLarge(texts: readonly InspectedText[]): boolean {
  if (texts.length > externalBounds.textsMax) return true;
  let units = 0;
  for (const { text } of texts) units += text.length;
  return units > externalBounds.unitsMax;
}

/** One question on its way through the guardrails. */
class Consultation {
  readonly #sent: readonly InspectedText[];
  readonly #question: ExternalQuestion;
  readonly #placeholders: Placeholders | undefined;
  readonly #findings: Finding[] = [];
  #texts: readonly InspectedText[];
  #message: string | undefined;
  #isRefused = false;

  constructor(sent: readonly InspectedText[], question: ExternalQuestion, placeholders: Placeholders | undefined) {
    this.#sent = sent;
    this.#placeholders = placeholders;
    this.#texts = sent;
    this.#question = question;
  }

  /** The texts with the replacements of all guardrails so far. */
  get texts(): readonly InspectedText[] {
    return this.#texts;
  }

  get isDecided(): boolean {
    return this.#message !== undefined || this.#isRefused;
  }

  take(external: ExternalDocument, outcome: ExternalOutcome): void {
    if (outcome.action === "allow") return;
    const isWatched = external.mode === "log";
    if (outcome.action === "failed") {
      this.#isRefused ||= !isWatched && external.on_failure === "closed";
      return;
    }
    const isReplaced = !isWatched && outcome.action === "replace" && !this.#question.isParallel;
    const place = { start: 0, end: 1, textIndex: 0 };
    this.#findings.push({ detector: "external", label: external.name, ...place, ...(isReplaced && { isReplaced }) });
    if (isWatched) return;
    if (outcome.action === "replace" && isReplaced) {
      this.#texts = this.#texts.map((entry, index) => ({ ...entry, text: outcome.texts.get(index) ?? entry.text }));
      return;
    }
    this.#message ??= messageOf(external, outcome.action === "block" ? outcome.message : undefined);
  }

  result(): Consulted {
    const isRefused = this.#isRefused;
    const findings = this.#findings;
    if (this.#message !== undefined) {
      const verdict: Verdict = { blocked: true, reason: "external", message: this.#message, findings };
      return { verdict, isRefused };
    }
    const maskedTexts = this.#texts.map(({ text }) => text);
    const maskedSpans = replacedSpans(
      this.#sent.map(({ text }) => text),
      maskedTexts,
    );
    if (maskedSpans.length === 0) return { verdict: { blocked: false, findings }, isRefused };
    const placeholders = this.#placeholders?.list() ?? [];
    return { verdict: { blocked: false, findings, maskedTexts, maskedSpans, placeholders }, isRefused };
  }
}

/** A guardrail's own words are foreign: one line, of a bounded length. */
function messageOf({ name }: ExternalDocument, words: string | undefined): string {
  const line = (words ?? "").replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  const shown = line.slice(0, externalBounds.messageLengthMax).toWellFormed();
  return `Request blocked: guardrail '${name}'.${shown === "" ? "" : ` ${shown}`}`;
}
