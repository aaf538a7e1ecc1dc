import { GatewayError } from "@gatehouse/errors";
import { codePointCount } from "@gatehouse/json";
import { fitMasks, type NumberMask } from "../text/json-masks.ts";
import { type MaskSpan, maskText, orderSpans } from "../text/mask-text.ts";
import { readText } from "../text/readings.ts";
import { ScratchBuffers } from "../text/scratch-buffers.ts";
import type { TextSpan } from "./broken-values.ts";
import { checks, type Subject } from "./checks.ts";
import type { ActiveChecks, CompiledPolicy } from "./compile-policy.ts";
import { inspectDocuments } from "./inspect-documents.ts";
import { OutcomeRecord, OutcomeRecords } from "./outcome-record.ts";
import { Placeholders } from "./placeholders.ts";
import { type CheckDocument, contentLengthDefault } from "./policy-document.ts";
import { appliesTo, type CallContext, takesRole } from "./scope.ts";
import {
  type Block,
  type Finding,
  type InspectedText,
  type InspectRequest,
  type MaskedSpan,
  findingsMax,
  maskedSpansMax,
  type TextOutcome,
  type Verdict,
} from "./verdict.ts";

/** Texts of one request. Reading even an empty one takes about two microseconds. */
export const textsMax = 50_000;
/** UTF-16 units of all texts of one request together; a body of the gateway has at most four million bytes. */
export const unitsMax = 16_000_000;
/** Stands in place of a text that a rule does not look at. */
const unseen: InspectedText = { role: "assistant", text: "" };

/** Reading is synchronous and one text is done before the next, so one scratch serves the process. */
const scratch = new ScratchBuffers();

/**
 * Runs the checks of a policy in their fixed order: content length, keywords and own patterns, credentials, personal
 * data, prompt injection. The first block decides the message. Length is a question about input only, injection about input and about
 * results of tools; on the output side nothing runs unless the policy asks for it. Pure and synchronous; linear in the texts.
 * @throws GatewayError `body_too_large` past {@link textsMax} or {@link unitsMax}.
 */
export function inspect(policy: CompiledPolicy, request: InspectRequest): Verdict {
  return inspectTexts(policy, request).verdict;
}

/** A decision, and the outcomes of the texts that `wanted` names. */
export interface Inspected {
  readonly verdict: Verdict;
  readonly outcomes: ReadonlyMap<number, TextOutcome>;
}

/**
 * Verdict of {@link inspect}, which is the same with the outcomes of an earlier judgement (`known`) as without.
 * @throws GatewayError as {@link inspect}.
 */
export function inspectTexts(policy: CompiledPolicy, request: InspectRequest): Inspected {
  const active = activeChecks(policy, request);
  if (active.length === 0) return { verdict: { blocked: false, findings: [] }, outcomes: noOutcomes };
  checkBounds(request);
  if (request.areDocuments === true) return { verdict: inspectDocuments(active, request), outcomes: noOutcomes };
  const tooLong = request.side === "input" ? checkLength(policy, request) : undefined;
  if (tooLong !== undefined) return { verdict: tooLong, outcomes: noOutcomes };
  const inspection = new Inspection({ policy, active }, request);
  for (const textIndex of request.texts.keys()) inspection.ofText(textIndex);
  inspection.acrossTexts();
  return { verdict: inspection.verdict(), outcomes: inspection.outcomes };
}

const noOutcomes: ReadonlyMap<number, TextOutcome> = new Map();

/** The checks of a policy and of its rules that apply to a request, whatever the roles of its texts. */
export function activeChecks(policy: CompiledPolicy, { side, context }: InspectRequest): readonly ActiveChecks[] {
  const all: ActiveChecks[] = [{ policy, when: undefined, ruleIndex: undefined }];
  for (const rule of policy.rules) if (appliesTo(rule.when, side, context)) all.push(rule);
  return side === "input" ? all : all.filter((checks) => checks.policy.document.apply_to_output);
}

/** The documents of the checks that would judge a call's answer. */
export function outputDocuments(policy: CompiledPolicy, context: CallContext | undefined): readonly CheckDocument[] {
  return activeChecks(policy, { side: "output", texts: [], ...(context && { context }) }).map(
    (checks) => checks.policy.document,
  );
}

/** The checks of one request on the way: their first blocks, findings, and the masked form of each text. */
class Inspection {
  readonly #outcomes = new OutcomeRecords();
  readonly #findings: Finding[] = [];
  readonly #blocks: (Block | undefined)[] = checks.map(() => undefined);
  /** Spans to mask in each text, by its index. */
  readonly #masks = new Map<number, MaskSpan[]>();
  readonly #policy: CompiledPolicy;
  readonly #active: readonly ActiveChecks[];
  readonly #request: InspectRequest;
  /** Undefined: masks are not reversible. */
  readonly #placeholders: Placeholders | undefined;
  readonly #number: NumberMask = (span, value) => this.#placeholders?.number(span, value) ?? span;
  readonly #report = (finding: Finding): void => {
    if (this.#findings.length < findingsMax && !this.#isKnown(finding)) this.#findings.push(finding);
  };

  constructor(
    { policy, active }: { readonly policy: CompiledPolicy; readonly active: readonly ActiveChecks[] },
    request: InspectRequest,
  ) {
    this.#policy = policy;
    this.#active = active;
    this.#request = request;
    const isReversible =
      policy.document.reversible_masks === true && request.side === "input" && request.hasPlainMasks !== true;
    this.#placeholders = isReversible ? new Placeholders(request.placeholders ?? [], request.texts) : undefined;
  }

  /** A rule finds what the policy has found already. */
  #isKnown({ detector, label, start, end, textIndex }: Finding): boolean {
    if (this.#active.length === 1) return false;
    return this.#findings.some(
      (known) =>
        known.start === start &&
        known.end === end &&
        known.textIndex === textIndex &&
        known.detector === detector &&
        known.label === label,
    );
  }

  /** Outcomes of the texts that `wanted` names. */
  get outcomes(): ReadonlyMap<number, TextOutcome> {
    return this.#outcomes.outcomes;
  }

  /** Runs the checks that could still decide on one text, or takes what they found before. */
  ofText(textIndex: number): void {
    const entry = this.#request.texts[textIndex];
    if (entry === undefined) return;
    const known = this.#request.known?.get(textIndex);
    const masks = known === undefined ? this.#check(entry, textIndex) : this.#recall(known, textIndex);
    if (masks.length > 0) this.#masks.set(textIndex, masks);
  }

  #recall(known: TextOutcome, textIndex: number): MaskSpan[] {
    const masks: MaskSpan[] = [];
    for (const [rank, check] of known.entries()) {
      if (this.#isDecidedBefore(rank)) break;
      for (const finding of check.findings) this.#report({ ...finding, textIndex });
      for (const mask of check.masks) masks.push(mask);
    }
    return masks;
  }

  #check(entry: InspectedText, textIndex: number): MaskSpan[] {
    const masks: MaskSpan[] = [];
    const record = this.#request.wanted?.has(textIndex) === true ? new OutcomeRecord(masks, this.#report) : undefined;
    const subject: Subject = {
      policy: this.#policy,
      side: this.#request.side,
      role: entry.role,
      tool: entry.tool ?? "",
      readings: readText(entry.text, this.#policy.model.letterStatistics, scratch, this.#request.piece),
      textIndex,
      masks,
      scratch,
      report: record?.report ?? this.#report,
    };
    let isBlocked = false;
    for (const [rank, { ofText }] of checks.entries()) {
      if (this.#isDecidedBefore(rank)) return masks;
      for (const { policy, when } of this.#active) {
        if (when !== undefined && !takesRole(when, entry.role)) continue;
        const block = ofText(policy === this.#policy ? subject : { ...subject, policy });
        this.#blocks[rank] ??= block;
        isBlocked ||= block !== undefined;
      }
      record?.endCheck();
    }
    if (record !== undefined && !isBlocked) this.#outcomes.add(textIndex, record.outcome());
    return masks;
  }

  /** Runs the questions about several texts together that could still decide. */
  acrossTexts(): void {
    const { texts, side } = this.#request;
    if (texts.length < 2) return;
    const mask = (label: string, { textIndex, start, end }: TextSpan): void => {
      const masks = this.#masks.get(textIndex) ?? [];
      masks.push({ label, start, end });
      this.#masks.set(textIndex, masks);
    };
    for (const [rank, { acrossTexts }] of checks.entries()) {
      if (acrossTexts === undefined || this.#blocks[rank] !== undefined) continue;
      if (this.#isDecidedBefore(rank)) return;
      for (const { policy, when } of this.#active) {
        const taken =
          when?.roles === undefined ? texts : texts.map((entry) => (takesRole(when, entry.role) ? entry : unseen));
        this.#blocks[rank] ??= acrossTexts({ policy, texts: taken, side, scratch, mask, report: this.#report });
      }
    }
  }

  verdict(): Verdict {
    const block = this.#blocks.find((candidate) => candidate !== undefined);
    const verdict = block === undefined ? { blocked: false } : { blocked: true, ...block };
    const findings = this.#findings;
    const masked = this.#masks.size === 0 ? {} : this.#mask();
    const known = this.#placeholders?.list() ?? [];
    const placeholders = known.length === 0 ? {} : { placeholders: known };
    return { ...verdict, findings, ...masked, ...placeholders };
  }

  #mask(): Required<Pick<Verdict, "maskedTexts" | "maskedSpans">> {
    const maskedSpans: MaskedSpan[] = [];
    const maskedTexts = this.#request.texts.map(({ text }, textIndex) => {
      const masks = this.#masks.get(textIndex);
      if (masks === undefined) return text;
      const spans = orderSpans(masks);
      const fitted = this.#request.piece !== undefined ? spans : fitMasks(text, spans, this.#number);
      for (const span of fitted) if (maskedSpans.length < maskedSpansMax) maskedSpans.push({ ...span, textIndex });
      return maskText(text, fitted);
    });
    return { maskedTexts, maskedSpans };
  }

  /** Whether a check of a lower rank has blocked, so that nothing behind it counts. */
  #isDecidedBefore(rank: number): boolean {
    if (this.#request.exhaustive === true) return false;
    for (let before = 0; before < rank; before += 1) if (this.#blocks[before] !== undefined) return true;
    return false;
  }
}

function checkBounds({ texts }: InspectRequest): void {
  if (texts.length > textsMax) {
    throw tooLarge(`${texts.length} texts; at most ${textsMax} are judged in one request`);
  }
  let units = 0;
  for (const { text } of texts) units += text.length;
  if (units > unitsMax) throw tooLarge(`${units} characters of text; at most ${unitsMax} are judged in one request`);
}

function tooLarge(problem: string): GatewayError {
  return new GatewayError("body_too_large", `The request has ${problem}. Send less at once.`);
}

function checkLength(policy: CompiledPolicy, request: InspectRequest): Verdict | undefined {
  const limit = policy.document.max_content_length ?? contentLengthDefault;
  // Characters are at most as many as units, which nearly always decides.
  if (request.texts.reduce((total, { text, addedLength = 0 }) => total + text.length - addedLength, 0) <= limit)
    return undefined;
  const length = request.texts.reduce(
    (total, { text, addedLength = 0 }) => total + codePointCount(text) - addedLength,
    0,
  );
  if (length <= limit) return undefined;
  const textIndex = Math.max(0, request.texts.length - 1);
  const end = request.texts[textIndex]?.text.length ?? 0;
  return {
    blocked: true,
    reason: "content_length",
    message: `Request blocked: content length ${length} exceeds maximum ${limit}.`,
    findings: [{ detector: "content_length", label: "Content length", start: 0, end, textIndex }],
  };
}
