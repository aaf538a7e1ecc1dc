import type {
  Completion,
  CompletionChunk,
  CompletionStream,
  CompletionUsage,
  ProviderAddress,
} from "@gatehouse/providers";
import type { Span, Tracing } from "@gatehouse/telemetry";
import type { Reply } from "./reply.ts";
import type { ReadyTarget } from "./resolved-target.ts";

type Batch = readonly CompletionChunk[];
type Attributes = Parameters<Span["set"]>[0];

interface SpannedCall {
  readonly requestId: string;
  readonly span: Span;
  readonly request: { readonly operation?: "embeddings" } | undefined;
}

interface AnsweredCall extends SpannedCall {
  readonly usage: CompletionUsage | undefined;
  readonly answeredBy: ReadyTarget | undefined;
  readonly reply: Reply | undefined;
}

/** Starts the span of one attempt, a child of the call's. */
export function startAttemptSpan(
  tracing: Tracing,
  call: SpannedCall,
  { kind, provider, model }: ProviderAddress,
): Span {
  const operation = call.request?.operation ?? "chat";
  return tracing.start(`${operation} ${model}`, {
    kind: "client",
    parent: call.span.traceparent,
    attributes: {
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": kind,
      "gatehouse.provider": provider,
      "gen_ai.request.model": model,
      "gatehouse.request_id": call.requestId,
    },
  });
}

/**
 * Ends an attempt's span with the reply, a stream's with its last chunk. Sets OpenTelemetry's attributes for GenAI clients from
 * the provider's reply.
 * @returns the reply to use instead.
 */
export function endWithReply(span: Span, reply: Reply): Reply {
  if (!span.isRecorded) return reply;
  if (reply.kind === "stream") return { kind: "stream", stream: tracedStream(span, reply.stream) };
  span.set(reply.kind === "complete" ? attributesOfCompletion(reply.completion) : attributesOfEmbeddings(reply));
  span.end();
  return reply;
}

/** Sets the answer's attributes on the call's span, with the billed figures. */
export function setAnswerAttributes(call: AnsweredCall): void {
  const { span, usage, answeredBy, reply } = call;
  if (!span.isRecorded || answeredBy === undefined) return;
  span.set({
    "gen_ai.operation.name": call.request?.operation ?? "chat",
    "gen_ai.provider.name": answeredBy.address.kind,
    "gen_ai.request.model": answeredBy.address.model,
    ...attributesOfUsage(usage),
    ...(reply?.kind === "complete" ? attributesOfHead(reply.completion) : {}),
  });
}

function attributesOfCompletion(completion: Completion): Attributes {
  return { ...attributesOfHead(completion), ...attributesOfUsage(completion.usage) };
}

function attributesOfHead({ id, model, choices }: Completion): Attributes {
  return {
    "gen_ai.response.id": id,
    "gen_ai.response.model": model,
    "gen_ai.response.finish_reasons": choices.flatMap(({ finish_reason: reason }) => reason ?? []),
  };
}

function attributesOfEmbeddings({ embeddings }: Extract<Reply, { kind: "embeddings" }>): Attributes {
  const { model, usage } = embeddings;
  return {
    "gen_ai.response.model": model,
    ...(usage === undefined ? {} : { "gen_ai.usage.input_tokens": usage.prompt_tokens }),
  };
}

function attributesOfUsage(usage: CompletionUsage | null | undefined): Attributes {
  if (usage === undefined || usage === null) return {};
  return {
    "gen_ai.usage.input_tokens": usage.prompt_tokens,
    "gen_ai.usage.output_tokens": usage.completion_tokens,
  };
}

function tracedStream(span: Span, { batches }: CompletionStream): CompletionStream {
  return { batches: new TracedBatches(span, batches) };
}

/** Not a generator: leaving an iteration that has not begun must reach the stream and end the span, too. */
class TracedBatches implements AsyncIterableIterator<Batch> {
  readonly #span: Span;
  readonly #batches: AsyncIterator<Batch>;
  readonly #finishReasons = new Map<number, string>();
  #last: CompletionChunk | undefined;
  #usage: CompletionUsage | undefined;
  #isEnded = false;

  constructor(span: Span, batches: AsyncIterable<Batch>) {
    this.#span = span;
    this.#batches = batches[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    try {
      const { done, value } = await this.#batches.next();
      if (done === true) {
        this.#end();
        return { done, value: undefined };
      }
      for (const chunk of value) this.#see(chunk);
      return { done: false, value };
    } catch (err) {
      this.#end(err);
      throw err;
    }
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    try {
      await this.#batches.return?.();
      return { done: true, value: undefined };
    } finally {
      this.#end();
    }
  }

  #see(chunk: CompletionChunk): void {
    this.#last = chunk;
    this.#usage = chunk.usage ?? this.#usage;
    for (const { index, finish_reason: reason } of chunk.choices) {
      if (reason !== null) this.#finishReasons.set(index, reason);
    }
  }

  #end(err?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#last !== undefined) {
      const { id, model } = this.#last;
      this.#span.set({ "gen_ai.response.id": id, "gen_ai.response.model": model });
    }
    if (this.#finishReasons.size > 0) {
      this.#span.set({ "gen_ai.response.finish_reasons": [...this.#finishReasons.values()] });
    }
    this.#span.set(attributesOfUsage(this.#usage));
    this.#span.end(err);
  }
}
