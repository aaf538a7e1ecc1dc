import { injectionModes, type UnavailableMode } from "../policy/policy-document.ts";
import type { Side } from "../policy/verdict.ts";

/** Interface of a guardrail elsewhere: this gateway's own form, or the form of a product. */
export const externalKinds = ["http", "presidio", "llama_guard", "llm_judge"] as const;
/** In order with the model call, or beside it. */
export const externalOrders = ["before", "parallel"] as const;
/**
 * Fate of a text that a guardrail elsewhere finds fault with: nothing is asked, it is refused or masked, or it is recorded
 * alone.
 */
export const externalModes = injectionModes;
/** Actions of `presidio` on a find. */
export const foundActions = ["mask", "block"] as const;
/** Texts of the caller, and of the answer. */
export const sides = ["input", "output"] as const;

/** One of {@link externalKinds}. */
export type ExternalKind = (typeof externalKinds)[number];
type ExternalOrder = (typeof externalOrders)[number];
type ExternalMode = (typeof externalModes)[number];

/** Bounds of guardrails elsewhere, each in its unit. */
export const externalBounds = {
  /** Most external guardrails of one policy. */
  countMax: 5,
  nameLengthMax: 40,
  secretLengthMax: 4_096,
  modelLengthMax: 200,
  instructionsLengthMax: 4_000,
  timeoutMsMin: 50,
  timeoutMsMax: 30_000,
  timeoutMsDefault: 2_000,
  entitiesMax: 50,
  /** UTF-16 units of all texts of one question; more is blocked, so that no caller can have a question fail by its length. */
  unitsMax: 1_048_576,
  /** Texts of one question; more are blocked likewise. */
  textsMax: 4_096,
  /** Bytes of a reply. */
  replyBytesMax: 8 * 1024 * 1024,
  /** Spans in one reply. */
  spansMax: 10_000,
  /** Characters of a guardrail's own words that callers read. */
  messageLengthMax: 200,
  /** Questions to one guardrail that one process has open. */
  inFlightMax: 32,
} as const;

/** A guardrail elsewhere, as a policy keeps it; its secret is kept apart, sealed. */
export interface ExternalDocument {
  /** Shown to callers where it blocks. */
  readonly name: string;
  readonly kind: ExternalKind;
  readonly url: string;
  readonly sides: readonly Side[];
  readonly when: ExternalOrder;
  readonly mode: ExternalMode;
  readonly timeout_ms: number;
  /** Whether calls are refused (`closed`), or go on, where it fails or does not answer in time. */
  readonly on_failure: UnavailableMode;
  /** Where the secret is kept: a reference such as `env:NAME`, which is no secret, as it was given. */
  readonly secret?: string;
  /** A secret is sealed under {@link secret_id}. */
  readonly secret_kept?: boolean;
  /** The row of the sealed secret, or of the reference. */
  readonly secret_id?: string;
  /** Model of `llama_guard` and `llm_judge`. */
  readonly model?: string;
  /** Text for `llm_judge`: what it is to refuse. */
  readonly instructions?: string;
  /** Language of `presidio`: `en` where absent. */
  readonly language?: string;
  /** Entities of `presidio`: all that it knows where absent. */
  readonly entities?: readonly string[];
  /** Score of `presidio`, from 0 to 1. */
  readonly score_threshold?: number;
  /** Action of `presidio` on a find; `mask` where absent. */
  readonly found?: (typeof foundActions)[number];
}

/** Selects the external guardrails of a policy that a question goes to. */
export interface ExternalQuestion {
  readonly side: Side;
  readonly isParallel: boolean;
  /** Guardrails beside the model are asked with the others. */
  readonly isJoint: boolean;
}

/** The guardrails that answer a question, in the policy's order. */
export function externalsFor(
  externals: readonly ExternalDocument[],
  { side, isParallel, isJoint }: ExternalQuestion,
): readonly ExternalDocument[] {
  return externals.filter(({ mode, sides: asked, when }) => {
    if (mode === "off" || !asked.includes(side)) return false;
    // An answer is there when it is judged, so nothing runs beside it.
    if (side === "output" || isJoint) return !isParallel;
    return (when === "parallel") === isParallel;
  });
}

/** Longest time that those take which are asked, milliseconds: one after the other, as those beside the model are where nothing runs beside. */
export function longestOf(externals: readonly ExternalDocument[]): number {
  return externals.reduce((total, { timeout_ms: timeoutMs }) => total + timeoutMs, 0);
}
