import type { LightAbort } from "@gatehouse/async";
import type { ChatRequest } from "@gatehouse/dialects";
import type { GatewayError } from "@gatehouse/errors";
import type { FailedAttempt, ReadyTarget, Reply } from "@gatehouse/failover";
import type { CallContext, OutputCheck } from "@gatehouse/guardrail-client";
import type { Reservation, TightestWindow } from "@gatehouse/limits";
import type { PlaceholderValues } from "@gatehouse/placeholders";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { AttemptWatch, ChatMessage } from "@gatehouse/providers";
import type { SessionTurn } from "@gatehouse/sessions";
import type { CallSpending } from "@gatehouse/spending";
import type { Logger, Span } from "@gatehouse/telemetry";
import { type CountTexts, TokenCounter } from "@gatehouse/tokens";
import type { CompiledEndpoint } from "../domain/endpoint.ts";

/** Surface by which a call arrives; all run the same pipeline. */
export type Surface =
  | "chat.direct"
  | "chat.dispatcher"
  | "wrapper.chat"
  | "wrapper.completions"
  | "wrapper.embeddings"
  | "mcp.bridge";

/** Facts of a call that a surface passes to `runPipeline`. The body is read only when a step asks for it. */
export interface CallInput {
  readonly surface: Surface;
  readonly requestId: string;
  readonly principal: TokenPrincipal;
  readonly ipAddress: string;
  readonly span: Span;
  /** The caller's headers that rules may read. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  /** End user of the call, as named by the application outside of the body. */
  readonly user?: string | undefined;
  /** Position of the one target to ask, unchecked. */
  readonly chosenTarget?: string | undefined;
  /** Aborted when the caller has left, or with a GatewayError as its reason at the call's deadline. */
  readonly abort: LightAbort;
  readonly countTexts: CountTexts;
  /** Error with which the gateway has ended the reply while the call runs; undefined where it has not. */
  readonly endedBy?: (() => GatewayError | undefined) | undefined;
  /** Called once, right before the provider is asked. */
  readonly onAsking?: ((call: Admitted) => void) | undefined;
  /** Reads and checks the body when the pipeline asks. @throws GatewayError */
  readonly read: () => Promise<ChatRequest>;
}

interface StreamingAttempt {
  /** Observer of the stream's end. */
  readonly watch: AttemptWatch;
  /** Milliseconds of the clock that provider health uses. */
  readonly begunAt: number;
}

interface StepTime {
  readonly name: string;
  readonly durationMs: number;
}

/**
 * State of one call. The stages below state what is known by when: each step requires a stage, and the list of steps compiles
 * only where the steps before it have reached that stage.
 */
export interface Received extends CallInput, CallSpending {
  /** Counts the tokens of the call, each message once. */
  readonly tokens: TokenCounter;
  /** When the call came in, epoch milliseconds. */
  startedAtMs: number;
  /** Steps whose duration is logged, in order. */
  readonly slowSteps: StepTime[];
  /** Name of the step that refused the call. */
  refusedBy: string | undefined;
  request: ChatRequest | undefined;
  compiled: CompiledEndpoint | undefined;
  /** The call's turn in its session, while it has one. */
  session: SessionTurn | undefined;
  /** Earlier messages of the session that fit. */
  history: readonly ChatMessage[];
  /** Verdict of guardrails that run in parallel with the model; absent: none run. Never rejects. */
  besideVerdict: Promise<GatewayError | undefined> | undefined;
  /** Values to restore in the answer; absent where masks are not reversible. */
  placeholders: PlaceholderValues | undefined;
  /** The answer with its placeholders, where values were restored. */
  maskedAnswer: string | undefined;
  /** Context for policy rules; created at the first question to the guardrails. */
  context: CallContext | undefined;
  /** Inspection of the reply that the guardrails require. */
  outputCheck: OutputCheck;
  attempts: number;
  /** Failed targets in order, with their reasons. For logs and spans, never for callers. */
  failures: readonly FailedAttempt[];
  /** Attempt whose stream has not ended yet. */
  streaming: StreamingAttempt | undefined;
  /** Partial answer of a failed target, which the next one continues. */
  prefill: string | undefined;
  /** Whether the head of an event stream has been sent. */
  isStreamed: boolean;
  /** Budget reserved for the call. */
  reservation: Reservation | undefined;
  /** Tightest rate limit window of the call; absent: no limits. */
  tightestWindow: TightestWindow | undefined;
  deadlineTimer: NodeJS.Timeout | undefined;
}

/** A call whose body has been read. */
export interface Read extends Received {
  request: ChatRequest;
}

/** A call of an endpoint that its token may call. */
export interface Admitted extends Read {
  compiled: CompiledEndpoint;
}

/** A call with complete messages to the model. */
export interface Prompted extends Admitted {
  messages: readonly ChatMessage[];
}

/** A call that a provider has answered, completely or with the start of a stream. */
export interface Answered extends Prompted {
  reply: Reply;
  answeredBy: ReadyTarget;
}

/** Lists every member: V8 gives such an object its shape at once, unlike one that starts with a spread. */
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
    endedBy: input.endedBy,
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
    streaming: undefined,
    prefill: undefined,
    isStreamed: false,
    received: undefined,
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

/** Result of a call, passed to every step that it had entered. */
export type Outcome =
  | { readonly kind: "answered" }
  /** Refused by a step, or failed before or during the reply. */
  | { readonly kind: "failed"; readonly error: GatewayError }
  /** The caller left before the end of the reply, or the gateway ended the reply (`CallInput.endedBy`). */
  | { readonly kind: "abandoned" };

/** Whether the guardrails judge the answer before it is shown, so that they may refuse or mask it. */
export function mayChangeAnswer({ outputCheck }: Pick<Received, "outputCheck">): boolean {
  return outputCheck === "before_reply" || outputCheck === "whole";
}

/** Logs the cause of a failed call, unless the caller is at fault. */
export function logRefusal(log: Logger, err: GatewayError, requestId: string): void {
  const { logLevel } = err.profile;
  if (logLevel === "info" || logLevel === "debug") return;
  log[logLevel]({ err: err.cause ?? err, code: err.code, request_id: requestId }, err.loggedMessage);
}
