import { pause } from "@gatehouse/async";
import { holdStream } from "@gatehouse/content";
import { GeneratedText, mergeParameters, outgoingParameters } from "@gatehouse/dialects";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import {
  type AttemptPlace,
  continueStream,
  endWithReply,
  Failover,
  type FailoverBounds,
  type FirstTokenTimeout,
  type ReadyTarget,
  type Reply,
  startAttemptSpan,
} from "@gatehouse/failover";
import {
  type Attempt,
  type AttemptBounds,
  attemptBoundsOf,
  cappedTokens,
  type ChatMessage,
  type Completion,
  type CompletionRequest,
  type CompletionStream,
  type EmbeddingsRequest,
  failureCodeOf,
  givenUp,
  limitAnswer,
  type ProviderAdapter,
  type ProviderAddress,
  ProviderError,
  type ProviderHealth,
  type ProviderKind,
  withCurrentKey,
} from "@gatehouse/providers";
import { type AttemptLimit, type CallBudget, type GivenUpAttempt, watchUsage } from "@gatehouse/spending";
import type { Tracing } from "@gatehouse/telemetry";
import { textOf } from "@gatehouse/tokens";
import type { Endpoint } from "../../domain/endpoint-fields.ts";
import { type Answered, mayChangeAnswer, type Outcome, type Prompted } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Shared by all calls. `bounds` limit one attempt, `deadlineMs` the call over all its targets. */
export interface ProviderStepOptions {
  readonly adapterFor: (kind: ProviderKind) => ProviderAdapter;
  readonly bounds: AttemptBounds;
  readonly firstTokenTimeout: FirstTokenTimeout;
  /** Bound of the whole call over all targets, milliseconds. */
  readonly deadlineMs: number;
  readonly tracing: Tracing;
  readonly health: ProviderHealth;
  /** Milliseconds of the clock that provider health uses. */
  readonly now: () => number;
}

/** Calls the model, with failover (502, 503). */
export function createProviderStep(
  options: ProviderStepOptions,
): Step<Prompted, Pick<Answered, "reply" | "answeredBy">> {
  const { health, now, deadlineMs } = options;
  const failover = new Failover({ health, now, random: Math.random, wait: pause });
  return {
    name: "provider",
    async enter(call) {
      const { compiled } = call;
      call.deadlineTimer = setTimeout(() => call.abort.abort(deadlinePassed(deadlineMs)), deadlineMs);
      call.onAsking?.(call);
      const bounds = { signal: call.abort, deadlineAt: now() + deadlineMs };
      const outcome = await failover.run(compiled, bounds, (target, place) =>
        tracedAttempt(call, { target, ...place }, options),
      );
      call.attempts = outcome.attempts;
      call.failures = outcome.failures;
      if (!outcome.ok) return deadlineOf(call) ?? outcome.error;
      const { value, answeredBy, begunAt, watch } = outcome;
      // Set first: an answer that has arrived is billed, whatever fails later.
      call.reply = value;
      call.answeredBy = answeredBy;
      // A stream is judged by its end; a circuit breaker's probe succeeds by its start.
      if (value.kind !== "stream") {
        watch.ended();
        return { reply: value, answeredBy };
      }
      watch.outputBegan();
      call.streaming = { watch, begunAt };
      const { stream } = value;
      const goesOn = compiled.endpoint.midStream === "continue";
      const whole = goesOn ? continued(stream, call, { options, failover, bounds, answeredBy }) : stream;
      // Refused and masked parts of an answer are billed, too.
      if (mayChangeAnswer(call)) call.received = new GeneratedText();
      const isWatched = call.budget !== undefined || call.received !== undefined;
      const reply: Reply = { kind: "stream", stream: isWatched ? watchUsage(whole, call) : whole };
      return { reply, answeredBy };
    },
    leave(call, outcome) {
      clearTimeout(call.deadlineTimer);
      judgeStream(call, outcome, now());
      recordAttempts(call);
    },
  };
}

/** Providers whose models continue a final assistant message. */
const kindsWithPrefill: ReadonlySet<ProviderKind> = new Set(["anthropic", "bedrock", "openai-compatible"]);

interface Continuing {
  readonly options: ProviderStepOptions;
  readonly failover: Failover;
  readonly bounds: FailoverBounds;
  readonly answeredBy: ReadyTarget;
}

/** Lets the targets after a broken one continue its text, as far as their providers support that. */
function continued(stream: CompletionStream, call: Prompted, continuing: Continuing): CompletionStream {
  const { failover, bounds, options, answeredBy: broken } = continuing;
  return continueStream(stream, async (text, failure) => {
    const { compiled } = call;
    const after = compiled.targets.slice(compiled.targets.indexOf(broken) + 1);
    const targets = after.filter((target) => target.kind === "ready" && kindsWithPrefill.has(target.address.kind));
    if (targets.length === 0 || call.abort.aborted) return undefined;
    call.prefill = text;
    const attempt = async (target: ReadyTarget, place: AttemptPlace) =>
      await tracedAttempt(call, { target, ...place }, options);
    const before = call.givenUp;
    // Charges the first part before the second is limited.
    giveUp(call, { target: broken, limit: call.answerLimit, text, isContinued: true });
    judgeBroken(call, failure, options.now());
    const outcome = await failover.run({ ...compiled, targets }, bounds, attempt);
    call.attempts += outcome.attempts;
    call.failures = [...call.failures, ...outcome.failures];
    if (!outcome.ok || outcome.value.kind !== "stream") {
      call.prefill = undefined;
      // The first part remains the answer, and is billed as such.
      call.givenUp = [...before, ...call.givenUp.slice(before.length + 1)];
      return undefined;
    }
    outcome.watch.outputBegan();
    call.streaming = { watch: outcome.watch, begunAt: outcome.begunAt };
    call.answeredBy = outcome.answeredBy;
    return outcome.value.stream;
  });
}

/** Records a stream that broke off, and reports it to its provider's health; only the first time. */
function judgeBroken(call: Prompted, failure: ProviderError, now: number): void {
  const { streaming, answeredBy } = call;
  call.streaming = undefined;
  if (streaming === undefined || answeredBy === undefined) return;
  const { provider, model } = answeredBy.target;
  const durationMs = now - streaming.begunAt;
  call.failures = [...call.failures, { provider, model, code: failureCodeOf(failure), durationMs }];
  streaming.watch.ended(failure);
}

/** Reports the end of a stream to the provider's health. Failures elsewhere do not count against the provider. */
function judgeStream(call: Prompted, outcome: Outcome, now: number): void {
  const { streaming } = call;
  const failure = outcome.kind === "failed" ? outcome.error.cause : undefined;
  const isLeft = outcome.kind === "abandoned" || deadlineOf(call) !== undefined;
  if (!isLeft && failure instanceof ProviderError) {
    judgeBroken(call, failure, now);
    return;
  }
  call.streaming = undefined;
  streaming?.watch.ended(isLeft ? givenUp() : undefined);
}

/** Sets the failed attempts on the call's span: names and codes only. */
function recordAttempts({ span, attempts, failures }: Prompted): void {
  if (failures.length === 0) return;
  const failed = failures.map(({ provider, code }) => `${provider}:${code}`);
  span.set({ "gatehouse.attempts": attempts, "gatehouse.failed_attempts": failed });
}

/** The error of a call that exceeded its deadline; undefined otherwise. */
export function deadlineOf(call: Prompted): GatewayError | undefined {
  const reason: unknown = call.abort.reason;
  return isGatewayError(reason) ? reason : undefined;
}

function deadlinePassed(deadlineMs: number): GatewayError {
  return new GatewayError("provider_failed", `Provider call failed: no answer within ${deadlineMs} ms.`);
}

interface AttemptAt extends AttemptPlace {
  readonly target: ReadyTarget;
}

/** Runs one attempt in a span that lasts as long as the reply. */
async function tracedAttempt(
  call: Prompted,
  { target, hasNext }: AttemptAt,
  options: ProviderStepOptions,
): Promise<Reply> {
  const { address } = target;
  const { firstTokenTimeout } = options;
  const bounds = hasNext ? firstTokenTimeout.limit(address, outgoingParameters(call), options.bounds) : options.bounds;
  const limit = call.budget === undefined ? undefined : await limitAttempt(call, call.budget, target);
  call.askedLast = target;
  const { endpoint } = call.compiled;
  // Most attempts hold nothing.
  const held = endpoint.midStream === "hold" ? new GeneratedText() : undefined;
  const span = startAttemptSpan(options.tracing, call, address);
  const attempt: Attempt = {
    bounds: attemptBoundsOf(endpoint, bounds),
    signal: call.abort,
    traceparent: span.traceparent,
    answerTokensMax: limit?.tokensMax ?? endpointLimit(call),
    written: call.request.written,
  };
  try {
    const reply = await ask(call, {
      adapter: options.adapterFor(address.kind),
      address: withCurrentKey(address),
      attempt,
      firstTokenTimeout,
      held,
    });
    call.answerLimit = limit;
    return endWithReply(span, reply);
  } catch (err) {
    if (err instanceof ProviderError) span.set({ "gatehouse.failure": failureCodeOf(err) });
    if (!(err instanceof ProviderError && err.isFree)) giveUp(call, { target, limit, text: held?.text });
    span.end(err);
    throw err;
  }
}

/** Tokens of an answer by `max_response_tokens`, which a budget's limit already includes. */
function endpointLimit(call: Prompted): number | undefined {
  const { maxResponseTokens: cap } = call.compiled.endpoint;
  const isBounded = cap !== null && call.request.operation !== "embeddings";
  return isBounded ? cappedTokens(outgoingParameters(call), cap) : undefined;
}

/** The limit that the budget sets to an attempt. @throws GatewayError where the budget cannot pay for it */
async function limitAttempt(call: Prompted, budget: CallBudget, target: ReadyTarget): Promise<AttemptLimit> {
  const { written } = call.request;
  const sent = { messages: messagesOf(call), parameters: outgoingParameters(call), written };
  const limit = await budget.limitAttempt(target, sent);
  if (isGatewayError(limit)) throw limit;
  return limit;
}

/** Messages to send, with the partial answer of a failed target. */
function messagesOf({ messages, prefill }: Prompted): readonly ChatMessage[] {
  return prefill === undefined ? messages : [...messages, { role: "assistant", content: prefill }];
}

function giveUp(call: Prompted, attempt: GivenUpAttempt): void {
  call.givenUp = [...call.givenUp, attempt];
  if (attempt.limit !== undefined) call.budget?.charge(attempt.limit);
}

interface Question {
  readonly adapter: ProviderAdapter;
  readonly address: ProviderAddress;
  readonly attempt: Attempt;
  readonly firstTokenTimeout: FirstTokenTimeout;
  /** Collects what is held of an answer; undefined where none is held. */
  readonly held: GeneratedText | undefined;
}

function ask(call: Prompted, question: Question): Promise<Reply> {
  if (call.request.operation === "embeddings") return askForEmbeddings(call, question);
  if (wantsStream(call)) return askForStream(call, question);
  const { adapter, address, attempt } = question;
  return adapter.complete(address, toCompletionRequest(call, question), attempt).then(toCompleteReply);
}

function toCompleteReply(completion: Completion): Reply {
  return { kind: "complete", completion };
}

async function askForEmbeddings(call: Prompted, { adapter, address, attempt }: Question): Promise<Reply> {
  if (adapter.embed === undefined) {
    throw new ProviderError("unsupported", `${address.provider} offers no embeddings`).asFree();
  }
  const request = toEmbeddingsRequest(call, call.compiled.endpoint);
  return { kind: "embeddings", embeddings: await adapter.embed(address, request, attempt) };
}

async function askForStream(call: Prompted, question: Question): Promise<Reply> {
  const { adapter, address, attempt, firstTokenTimeout, held } = question;
  const { endpoint } = call.compiled;
  const request = toCompletionRequest(call, question);
  const begin = () => adapter.stream(address, request, attempt);
  const stream = await firstTokenTimeout.watch(address, attempt.bounds.firstTokenMs, begin);
  if (held === undefined) return { kind: "stream", stream };
  return { kind: "stream", stream: await holdStream(stream, address.provider, endpoint.holdTokens, held) };
}

/** Whether to ask the provider for a stream: only where its pieces may be passed on, or held. */
function wantsStream(call: Prompted): boolean {
  return call.request.stream && call.compiled.mayStream;
}

function toCompletionRequest(call: Prompted, { address, attempt }: Question): CompletionRequest {
  const { model, kind } = address;
  const { endpoint } = call.compiled;
  // Most tokens of each answer, where a budget or the endpoint limits it.
  const { answerTokensMax: tokensMax } = attempt;
  const parameters = outgoingParameters(call);
  const limited = tokensMax === undefined ? parameters : limitAnswer(parameters, { kind, endpoint, tokensMax });
  return { ...limited, model, messages: messagesOf(call) };
}

/** The judged texts, as a single text where one was sent. */
function toEmbeddingsRequest({ request, messages }: Prompted, { parameters }: Endpoint): EmbeddingsRequest {
  const { parameters: own, isSingleInput } = request;
  const texts = messages.map(({ content }) => textOf(content));
  return { texts, body: { ...mergeParameters(parameters, own), input: isSingleInput === true ? texts[0] : texts } };
}
