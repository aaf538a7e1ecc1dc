import type { Placeholder } from "@gatehouse/placeholders";
import type { PiiEntity } from "../pii/entity.ts";
import type { PieceOfJson } from "../text/json-escapes.ts";
import type { MaskSpan } from "../text/mask-text.ts";
import type { CallContext } from "./scope.ts";

/** Input is what a caller sends, output what a model answers. */
export type Side = "input" | "output";

/** One text with the role of who wrote it: `user`, `assistant`, `tool`, `system`. */
export interface InspectedText {
  readonly role: string;
  readonly text: string;
  /** The tool whose arguments or result it is; absent or empty for other texts. */
  readonly tool?: string;
  /** Characters between joined texts, which do not count as content. */
  readonly addedLength?: number;
  /** Whether it is no content of its message, such as a member that providers may leave out: content goes on behind it. */
  readonly isAside?: boolean;
}

/** Texts to judge, and the call that they belong to. */
export interface InspectRequest {
  readonly texts: readonly InspectedText[];
  readonly side: Side;
  /** Run every check even when one has blocked already, to show a person everything a policy sees. */
  readonly exhaustive?: boolean;
  /** The texts are whole JSON values, which only patterns with a path judge; their texts are judged by themselves. */
  readonly areDocuments?: boolean;
  /** Context of the call; rules apply whatever they ask for where it is not known. */
  readonly context?: CallContext | undefined;
  /** Masks have no numbers, since nothing puts the values back. */
  readonly hasPlainMasks?: boolean;
  /** The text is a piece of a stream, with what stands before it: masks are not fitted into its JSON. */
  readonly piece?: PieceOfJson;
  /** Placeholders of the session so far, where masks are reversible. */
  readonly placeholders?: readonly Placeholder[];
  /** Outcomes of texts that have been judged before, by index; questions about texts together still count them. */
  readonly known?: ReadonlyMap<number, TextOutcome>;
  /** Indices of texts whose outcomes are to be returned. */
  readonly wanted?: ReadonlySet<number>;
}

/** Names of the detectors, as findings, refusals and metrics show them. */
export const detectors = [
  "content_length",
  "keyword",
  "pattern",
  "secret",
  "pii",
  "prompt_injection",
  "external",
] as const;
/** One of {@link detectors}. */
export type Detector = (typeof detectors)[number];

/** The reason of a refusal, and the message that the caller gets. */
export interface Block {
  readonly reason: Detector;
  readonly message: string;
}

/** Whether what a detector finds is a wording, and no value that must not be repeated. */
export function mayQuote(detector: Detector): boolean {
  return detector === "prompt_injection" || detector === "keyword";
}

/**
 * One thing a detector saw. Offsets are UTF-16 indexes in the text as it was sent; an empty range means that nothing was found,
 * and there is only a score. Never holds the text itself.
 */
export interface Finding {
  readonly detector: Detector;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  readonly textIndex: number;
  /** Probability from 0 to 1; prompt injection only. */
  readonly score?: number;
  readonly entity?: PiiEntity;
  /** Whether a guardrail elsewhere has replaced texts for it; false where absent. */
  readonly isReplaced?: boolean;
  /** Names of the reasons: patterns and ideas for prompt injection, the kind for a credential. */
  readonly because?: readonly string[];
}

/** A part of a text that was masked. */
export interface MaskedSpan extends MaskSpan {
  readonly textIndex: number;
}

/** Findings kept of one request; what is masked does not depend on it. */
export const findingsMax = 1_000;

/** Masked spans in one answer. Masked texts do not depend on it. */
export const maskedSpansMax = 10_000;

/** Findings and masks in the outcomes of one request's texts: to hand over so many between threads takes some 2 ms. */
export const outcomesFoundMax = 2_000;

/** Findings and masks of one check in one text. */
interface CheckOutcome {
  readonly findings: readonly Finding[];
  readonly masks: readonly MaskSpan[];
}

/** Findings and masks of a text by check, in the order of the checks, where all of them ran and none blocked; empty: nothing was found. */
export type TextOutcome = readonly CheckOutcome[];

/** The policy's decision on the texts. A block is an answer, not an error. */
export interface Verdict {
  readonly blocked: boolean;
  /** Message for the caller of the gateway. */
  readonly message?: string;
  /** Machine-readable cause of the block. */
  readonly reason?: Detector;
  readonly findings: readonly Finding[];
  /** The texts with what is to be masked replaced, where there was any. */
  readonly maskedTexts?: readonly string[];
  /** Spans replaced in them, text by text, ordered and apart; at most {@link maskedSpansMax}. */
  readonly maskedSpans?: readonly MaskedSpan[];
  /** Placeholders and their values, where masks are reversible: the session's so far, and those of these texts. */
  readonly placeholders?: readonly Placeholder[];
}
