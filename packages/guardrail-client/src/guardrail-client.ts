import type { MaskedSpan } from "./units.ts";

/** A text to judge, with the role of the message that it stands in. */
export interface InspectedText {
  readonly role: string;
  readonly text: string;
  /** The tool whose arguments or result it is, where it is one's. */
  readonly tool?: string;
}

/** The call that texts belong to, as far as a policy's rules may ask for it. */
export interface CallContext {
  /** 0 where no token has called. */
  readonly tokenId: number;
  readonly surface: "chat" | "wrapper" | "bridge" | "mcp" | "api";
  /** Models that may be asked. */
  readonly models: readonly string[];
  /** The caller's, as far as {@link contextHeaders} lets them through. */
  readonly headers: Readonly<Record<string, string>>;
  /** From 0 to 1, drawn once for a call. */
  readonly samplePoint: number;
  readonly requestId: string;
}

/** A caller's request, or a model's answer. */
export type Side = "input" | "output";

/** Kind of traffic that the texts belong to; a policy names those that it covers. */
export type Surface = "chat" | "mcp" | "api";

/** Texts of one side of one call, and the policy that they fall under. */
export interface GuardrailQuestion {
  readonly projectUuid: string;
  /** Undefined where the project's own policy is meant. */
  readonly endpointUuid: string | undefined;
  readonly surface: Surface;
  readonly side: Side;
  /** Asked for only where there may be a policy. */
  readonly texts: () => readonly InspectedText[] | Promise<readonly InspectedText[]>;
  /**
   * Whole JSON values whose texts are in {@link texts} one by one, for patterns that name a path in them. Asked for only where the
   * texts may pass and the policy has such patterns.
   */
  readonly documents?: () => readonly InspectedText[] | Promise<readonly InspectedText[]>;
  readonly signal: AbortSignal;
  /** The trace that the question belongs to. */
  readonly traceparent: string | undefined;
  /** Asked for only where there may be a policy. Absent: rules apply whatever they ask for. */
  readonly context?: () => CallContext;
  /** Placeholders of the session so far, where masks may be reversible. */
  readonly placeholders?: readonly Placeholder[];
  /** The caller can ask guardrails beside the model, by `askBeside`; else they are asked before it. */
  readonly asksBeside?: boolean;
}

/** The text that stands for a masked value. */
export interface Placeholder {
  /** Without its brackets. */
  readonly label: string;
  readonly value: string;
}

/** One detector's observation; never the text. */
export interface GuardrailFinding {
  readonly detector: string;
  /** From 0 to 1, where the detector gives one. */
  readonly score: number | undefined;
  /** Whether something was found; otherwise there is only a score below the policy's line. */
  readonly isHit: boolean;
}

/**
 * The inspection that a model's answer needs: `before_reply` where it may be blocked or masked, so that none of it is shown
 * unjudged: whole, or piece by piece where it is streamed; `whole` where a stream, too, has to be whole first; `after_reply` where findings are only recorded.
 */
export type OutputCheck = "none" | "before_reply" | "after_reply" | "whole";

/** A verdict on all texts of a question. */
export interface Judgement {
  readonly kind: "judged";
  /** Absent where the texts may pass. */
  readonly block: { readonly detector: string; readonly message: string } | undefined;
  readonly findings: readonly GuardrailFinding[];
  /** In the order of the texts, where something was masked. */
  readonly maskedTexts: readonly string[] | undefined;
  /** Masked spans in order; not all of them where there are very many. */
  readonly maskedSpans: readonly MaskedSpan[];
  readonly outputCheck: OutputCheck;
  /** The policy lets pass what cannot be judged for a reason that is not the caller's. */
  readonly failsOpen: boolean;
  /** Values to be put back into the answer; none where masks are not reversible. */
  readonly placeholders: readonly Placeholder[];
  /** Failure of external guardrails without which the policy lets the call go on. */
  readonly unasked?: unknown;
  /** Asks the guardrails that run beside the model; absent where there are none. Bounded in time. Called once. */
  readonly askBeside?: () => Promise<GuardrailAnswer>;
}

/** A verdict, or the reason why there is none. */
export type GuardrailAnswer =
  | Judgement
  | { readonly kind: "no_policy" }
  /** The guardrails cannot be reached; the call may go on as it is, or must not. */
  | { readonly kind: "unavailable"; readonly mayPass: boolean; readonly cause: unknown };

/** State that the guardrails carry from one piece of a streamed text to the next. */
export interface StreamState {
  readonly context: string;
  readonly held: string;
  readonly isInsideKey: boolean;
}

/** The next piece of an answer that is streamed. */
export interface PieceQuestion {
  readonly projectUuid: string;
  readonly endpointUuid: string;
  readonly state: StreamState | undefined;
  readonly text: string;
  readonly isLast: boolean;
  readonly context?: CallContext;
  readonly signal: AbortSignal;
}

/** A verdict on the part of a stream that has come so far. */
export type PieceAnswer =
  | {
      readonly kind: "judged";
      /** Text that can be shown now. */
      readonly shown: string;
      readonly state: StreamState | undefined;
      /** Absent where the stream may go on. */
      readonly block: { readonly detector: string; readonly message: string } | undefined;
      readonly findings: readonly GuardrailFinding[];
      readonly isMasked: boolean;
    }
  | { readonly kind: "unavailable"; readonly mayPass: boolean; readonly cause: unknown };

/** The guardrails, in this process or another. */
export interface GuardrailClient {
  /** Answers without a promise where it can. */
  inspect(question: GuardrailQuestion): GuardrailAnswer | Promise<GuardrailAnswer>;
  /** Judges an answer while it is streamed. */
  inspectPiece(question: PieceQuestion): Promise<PieceAnswer>;
}
