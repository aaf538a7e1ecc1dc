import type { ChatRequest } from "@gatehouse/dialects";
import type { GatewayError } from "@gatehouse/errors";
import type { FailedAttempt, ReadyTarget, Reply } from "@gatehouse/failover";
import type { CallContext, OutputCheck, PlaceholderValues } from "@gatehouse/guardrail-client";
import type { Reservation, TightestWindow } from "@gatehouse/limits";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { AttemptWatch, ChatMessage } from "@gatehouse/providers";
import type { SessionTurn } from "@gatehouse/sessions";
import type { CallSpending } from "@gatehouse/spending";
import type { Logger, Span } from "@gatehouse/telemetry";
import { type CountTexts, TokenCounter } from "@gatehouse/tokens";
import type { CompiledEndpoint } from "../domain/endpoint.ts";

/** Where a call came in. Every surface runs the same pipeline. */
export type Surface =
  | "chat.direct"
  | "chat.dispatcher"
  | "wrapper.chat"
  | "wrapper.completions"
  | "wrapper.embeddings"
  | "mcp.bridge";

/** Input of the pipeline from a surface. */
export interface CallInput {
  readonly surface: Surface;
  readonly requestId: string;
  readonly principal: TokenPrincipal;
  /** The caller's. */
  readonly ipAddress: string;
  readonly span: Span;
  /** Headers of the caller's that rules may ask for. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  /** The person behind the call, as the application names them outside of the body. */
  readonly user?: string | undefined;
  /** Place of the one target to ask, unchecked, as the caller sent it. */
  readonly chosenTarget?: string | undefined;
  /** Aborted when the caller is gone, or with a GatewayError as its reason when the call's deadline has passed. */
  readonly abort: AbortController;
  readonly countTexts: CountTexts;
  /** Called once, right before the provider is asked. */
  readonly onAsking?: ((call: Admitted) => void) | undefined;
  /** Reads and checks the body; the pipeline decides when. Throws a GatewayError. */
  readonly read: () => Promise<ChatRequest>;
}

/** Duration of a step of the pipeline. */
interface StepTime {
  readonly name: string;
  readonly durationMs: number;
}

/**
 * One call on its way through the pipeline, with all that may become known of it. The stages below say what is known by when;
 * a step takes the stage that it needs, and the list of steps compiles only where the steps before it have reached that stage.
 */
export interface Received extends CallInput, CallSpending {
  /** Counts what the call sends and receives; no message twice. */
  readonly tokens: TokenCounter;
  /** When the call came in, epoch milliseconds. */
  startedAtMs: number;
  /** The steps that took time, in order. */
  readonly slowSteps: StepTime[];
  /** The step that has refused the call. */
  refusedBy: string | undefined;
  request: ChatRequest | undefined;
  compiled: CompiledEndpoint | undefined;
  /** The call's turn in its session, while it has one. */
  session: SessionTurn | undefined;
  /** Earlier messages of the session, as far as they fit. */
  history: readonly ChatMessage[];
  /**
   * Verdict of guardrails that are asked beside the model: the refusal, if any. Absent where none is. Never rejects.
   */
  besideVerdict: Promise<GatewayError | undefined> | undefined;
  /** Values to be put back into the answer; absent where masks are not reversible. */
  placeholders: PlaceholderValues | undefined;
  /** The answer's text with its placeholders, where values were put back. */
  maskedAnswer: string | undefined;
  /** Context that rules of a policy may read; made when the guardrails are asked first. */
  context: CallContext | undefined;
  /** Inspection that the guardrails want of the reply. */
  outputCheck: OutputCheck;
  /** Tries at targets so far. */
  attempts: number;
  /** Failed targets in order, with the reason of each. For logs and spans, never for callers. */
  failures: readonly FailedAttempt[];
  /** Listener for the end of the stream, while there is one. */
  streamWatch: AttemptWatch | undefined;
  /** Part of the answer that another target has written, for the next one to go on from. */
  prefill: string | undefined;
  /** The head of an event stream has been sent. */
  isStreamed: boolean;
  /** Money held for the call. */
  reservation: Reservation | undefined;
  /** Tightest window of the rate limits that the call was counted against; absent where there are none. */
  tightestWindow: TightestWindow | undefined;
  deadlineTimer: NodeJS.Timeout | undefined;
}

/** A call whose body is read. */
export interface Read extends Received {
  request: ChatRequest;
}

/** A call of an endpoint that its token may call. */
export interface Admitted extends Read {
  compiled: CompiledEndpoint;
}

/** A call whose messages to the model are put together. */
export interface Prompted extends Admitted {
  messages: readonly ChatMessage[];
}

/** A call that a provider has answered, whole or with the beginning of a stream. */
export interface Answered extends Prompted {
  reply: Reply;
  answeredBy: ReadyTarget;
}

/** Every member is written out: V8 lays such an object out at once, and one that begins with a spread over and over. */
export function receive(input: CallInput): Received {
  return {
    surface: input.surface,
    requestId: input.requestId,
    principal: input.principal,
    ipAddress: input.ipAddress,
    span: input.span,
    headers: input.headers,
    user: input.user,
    chosenTarget: input.chosenTarget,
    abort: input.abort,
    countTexts: input.countTexts,
    onAsking: input.onAsking,
    read: input.read,
    tokens: new TokenCounter(input.countTexts, input.principal.project.uuid),
    startedAtMs: 0,
    slowSteps: [],
    refusedBy: undefined,
    request: undefined,
    compiled: undefined,
    session: undefined,
    history: [],
    messages: undefined,
    besideVerdict: undefined,
    placeholders: undefined,
    maskedAnswer: undefined,
    context: undefined,
    outputCheck: "none",
    reply: undefined,
    answeredBy: undefined,
    askedLast: undefined,
    attempts: 0,
    givenUp: [],
    failures: [],
    streamWatch: undefined,
    prefill: undefined,
    isStreamed: false,
    answer: undefined,
    answerBeside: "",
    usage: undefined,
    isUsageEstimated: false,
    cost: undefined,
    reservation: undefined,
    budget: undefined,
    answerLimit: undefined,
    figure: undefined,
    isStreamWhole: false,
    tightestWindow: undefined,
    deadlineTimer: undefined,
  };
}

/** End of a call, passed to every step that it had entered. */
export type Outcome =
  | { readonly kind: "answered" }
  /** Refused by a step, or failed before or during the reply. */
  | { readonly kind: "failed"; readonly error: GatewayError }
  /** The caller left before the reply was whole. */
  | { readonly kind: "abandoned" };

/** One line with the cause, for a call that failed where the failure is not the caller's. */
export function logRefusal(log: Logger, err: GatewayError, requestId: string): void {
  const { logLevel } = err.profile;
  if (logLevel === "info" || logLevel === "debug") return;
  log[logLevel]({ err: err.cause ?? err, code: err.code, request_id: requestId }, err.loggedMessage);
}
