import type { LazySignal } from "@gatehouse/async";
import type { Placeholder } from "@gatehouse/placeholders";
import type { JsonState } from "@gatehouse/proto/guardrail";
import type { CallContext } from "./call-context.ts";
import type { MaskedSpan } from "./units.ts";

/** A text to judge, with the role of its message. */
export interface InspectedText {
  readonly role: string;
  readonly text: string;
  /** Tool whose arguments or result it is. */
  readonly tool?: string;
  /** Characters between joined texts, which are not content of the call. */
  readonly addedLength?: number;
  /** Whether it is no content of its message, such as a member that providers may leave out: content goes on behind it. */
  readonly isAside?: boolean;
}

/** Side of a call that a policy judges: `input` is the caller's request, `output` the model's or upstream's answer. */
export type Side = "input" | "output";

/** Kind of traffic; a policy lists those that it covers. */
export type Surface = "chat" | "mcp" | "api";

/** Texts of one side of one call, and their policy. */
export interface GuardrailQuestion {
  readonly projectUuid: string;
  /** Undefined for the project's policy. */
  readonly endpointUuid: string | undefined;
  readonly surface: Surface;
  readonly side: Side;
  /** Called only where there may be a policy. */
  readonly texts: () => readonly InspectedText[] | Promise<readonly InspectedText[]>;
  /**
   * Whole JSON values whose single texts are in {@link texts}, for patterns with a path. Called only where the texts pass and the
   * policy has such patterns.
   */
  readonly documents?: (() => readonly InspectedText[] | Promise<readonly InspectedText[]>) | undefined;
  /** The caller's abort; its signal is read only where the answer takes time. */
  readonly abort: LazySignal;
  /** Trace of the call. */
  readonly traceparent: string | undefined;
  /** Called only where there may be a policy. Absent: rules always apply. */
  readonly context?: () => CallContext;
  /** Placeholders of the session so far, for reversible masks. */
  readonly placeholders?: readonly Placeholder[] | undefined;
  /** Whether the caller can consult guardrails parallel to the model, by `askBeside`; if not, they are consulted before it. */
  readonly asksBeside?: boolean;
}

/** One detector's finding, without the text. */
export interface GuardrailFinding {
  readonly detector: string;
  /** From 0 to 1, where the detector has one. */
  readonly score: number | undefined;
  /** Whether something was found; if not, there is only a score below the policy's threshold. */
  readonly isHit: boolean;
}

/**
 * Inspection that a model's answer needs. `before_reply`: it may be blocked or masked, so nothing is shown unjudged; a stream is
 * judged piece by piece. `whole`: a stream must be complete first. `after_reply`: findings are only recorded.
 */
export type OutputCheck = "none" | "before_reply" | "after_reply" | "whole";

/** Verdict of a policy on all texts of a question, with or without findings. */
export interface Judgement {
  readonly kind: "judged";
  /** Absent where the texts pass. */
  readonly block: { readonly detector: string; readonly message: string } | undefined;
  readonly findings: readonly GuardrailFinding[];
  /** In the order of the texts, where something was masked. */
  readonly maskedTexts: readonly string[] | undefined;
  /** Masked spans in order; incomplete where there are very many. */
  readonly maskedSpans: readonly MaskedSpan[];
  readonly outputCheck: OutputCheck;
  /** Whether the policy permits texts that cannot be judged for reasons that are not the caller's. */
  readonly failsOpen: boolean;
  /** Values to restore in the answer; empty without reversible masks. */
  readonly placeholders: readonly Placeholder[];
  /** Failure of external guardrails without which the policy lets the call continue. */
  readonly unasked?: unknown;
  /** Consults the guardrails that run parallel to the model; absent where there are none. Bounded in time. Called once. */
  readonly askBeside?: () => Promise<GuardrailAnswer>;
}

/** A verdict, or the reason for its absence. */
export type GuardrailAnswer =
  | Judgement
  | { readonly kind: "no_policy" }
  /** The guardrails are unreachable; `mayPass` decides whether the call continues. */
  | { readonly kind: "unavailable"; readonly mayPass: boolean; readonly cause: unknown };

/** State that the guardrails carry from one piece of a streamed text to the next. */
export interface StreamState {
  readonly context: string;
  readonly held: string;
  readonly isInsideKey: boolean;
  /** Place in the text's JSON, which only the guardrails read. */
  readonly json?: JsonState | undefined;
}

/** Next piece of a streamed answer; `state` is that of the previous answer, undefined for the first piece. */
export interface PieceQuestion {
  readonly projectUuid: string;
  readonly endpointUuid: string;
  readonly state: StreamState | undefined;
  readonly text: string;
  readonly isLast: boolean;
  readonly context?: CallContext;
  readonly signal: AbortSignal;
}

/** A verdict on the stream so far. */
export type PieceAnswer =
  | {
      readonly kind: "judged";
      /** Text that can be shown now. */
      readonly shown: string;
      readonly state: StreamState | undefined;
      /** Absent where the stream may continue. */
      readonly block: { readonly detector: string; readonly message: string } | undefined;
      readonly findings: readonly GuardrailFinding[];
      readonly isMasked: boolean;
    }
  | { readonly kind: "unavailable"; readonly mayPass: boolean; readonly cause: unknown };

/** Client that asks the guardrails, and answers from memory where no policy applies. */
export interface GuardrailClient {
  /** Returns no promise where the answer is known or at hand; an error at hand is thrown at once. */
  inspect(question: GuardrailQuestion): GuardrailAnswer | Promise<GuardrailAnswer>;
  /** Judges the next piece of a streamed answer. */
  inspectPiece(question: PieceQuestion): Promise<PieceAnswer>;
}
