import type { JsonObject } from "@gatehouse/json";
import { createLogger } from "@gatehouse/telemetry";
import { countTexts, type CountTexts, loadEncoder } from "@gatehouse/tokens";
import { Secret } from "@gatehouse/vault";
import { createProviderAdapters } from "../src/create-provider-adapters.ts";
import type { Completion, CompletionChunk, CompletionRequest } from "../src/forms/completion.ts";
import type { Embeddings } from "../src/forms/embeddings.ts";
import { type AttemptBounds, type CompletionStream, type ProviderAddress, ProviderError } from "../src/provider.ts";

export const key = "test-key-4f9a51c07d2e";

export const generousBounds: AttemptBounds = {
  connectMs: 5_000,
  headersMs: 5_000,
  firstTokenMs: 5_000,
  idleMs: 5_000,
  totalMs: 10_000,
};

/** Counts on the test's own thread. */
export const countInline: CountTexts = async (texts) => await Promise.resolve(countTexts(texts, loadEncoder()));

export interface CallOptions {
  readonly bounds?: Partial<AttemptBounds>;
  readonly signal?: AbortSignal;
  readonly traceparent?: string;
  readonly answerTokensMax?: number;
}

/** Calls one address through the adapters as the pipeline does. */
export function createCaller(address: Partial<ProviderAddress> & Pick<ProviderAddress, "kind" | "baseUrl">) {
  const adapters = createProviderAdapters({
    countTexts: countInline,
    log: createLogger({ service: "test", level: "silent" }),
    userAgent: "Gatehouse/test",
    wallNow: () => Date.UTC(2026, 0, 2, 3, 4, 5),
  });
  const whole: ProviderAddress = { provider: "acme", apiKey: new Secret(key), model: "model-1", ...address };
  const adapter = adapters.adapterFor(whole.kind);
  const attemptOf = ({ bounds, signal, traceparent, answerTokensMax }: CallOptions) => ({
    bounds: { ...generousBounds, ...bounds },
    signal: signal ?? new AbortController().signal,
    traceparent,
    answerTokensMax,
  });
  return {
    complete: async (request: Partial<CompletionRequest> = {}, options: CallOptions = {}): Promise<Completion> =>
      await adapter.complete(whole, withDefaults(request), attemptOf(options)),
    stream: async (request: Partial<CompletionRequest> = {}, options: CallOptions = {}): Promise<CompletionStream> =>
      await adapter.stream(whole, withDefaults(request), attemptOf(options)),
    embed: async (texts: readonly string[], body: JsonObject = {}): Promise<Embeddings> => {
      if (adapter.embed === undefined) throw new Error(`${whole.kind} embeds nothing`);
      return await adapter.embed(whole, { texts, body: { input: texts, ...body } }, attemptOf({}));
    },
    close: async () => await adapters.close(),
  };
}

function withDefaults(request: Partial<CompletionRequest>): CompletionRequest {
  return { model: "an-alias", messages: [{ role: "user", content: "Hello" }], ...request };
}

export interface ReadStream {
  readonly chunks: readonly CompletionChunk[];
  readonly text: string;
  readonly finishReason: string | undefined;
  readonly usage: CompletionChunk["usage"];
  readonly error: ProviderError | undefined;
}

/** Reads a stream to its end, normal or not. */
export async function readStream({ batches }: CompletionStream): Promise<ReadStream> {
  const chunks: CompletionChunk[] = [];
  let error: ProviderError | undefined;
  try {
    for await (const batch of batches) chunks.push(...batch);
  } catch (err) {
    if (!(err instanceof ProviderError)) throw err;
    error = err;
  }
  const choices = chunks.flatMap((chunk) => chunk.choices).filter(({ index }) => index === 0);
  return {
    chunks,
    text: choices.map(({ delta }) => delta.content ?? "").join(""),
    finishReason: choices.find((choice) => choice.finish_reason !== null)?.finish_reason ?? undefined,
    usage: chunks.findLast(({ usage }) => usage)?.usage,
    error,
  };
}

export async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  try {
    await call;
  } catch (err) {
    if (err instanceof ProviderError) return err;
    throw err;
  }
  throw new Error("the call did not fail");
}
