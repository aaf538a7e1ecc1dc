import { randomUUID } from "node:crypto";
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart, SharedV4Warning } from "@ai-sdk/provider";
import { isLarge, nextTurn } from "@gatehouse/pace";
import type { ChunkSource } from "../completion-stream/chunk-source.ts";
import { CompletionProgress } from "../completion-stream/completion-progress.ts";
import { peekStream } from "../completion-stream/peek-stream.ts";
import { secretsOf } from "../exchange/redaction.ts";
import type { CompletionChunk, CompletionRequest } from "../forms/completion.ts";
import { vectorsAsAsked } from "../openai/vectors-as-asked.ts";
import {
  type Attempt,
  type ProviderAdapter,
  type ProviderAddress,
  type ProviderConnection,
  ProviderError,
} from "../provider.ts";
import { AttemptFetch } from "./attempt-fetch.ts";
import { type BodyEdit, bodyEditsOf } from "./body-edits.ts";
import { fromThrown } from "./foreign-error.ts";
import type { ModelOptions, ProviderModel } from "./provider-model.ts";
import { StreamTranslator } from "./stream-translator.ts";
import { toCallOptions } from "./to-call-options.ts";
import { type CompletionIdentity, toCompletion } from "./to-completion.ts";
import { embedTexts, toEmbeddings } from "./to-embeddings.ts";

/**
 * Adapter for a provider whose API is not OpenAI's, through its AI SDK package. The package only translates; connections, bounds,
 * error statuses and retries are the gateway's.
 */
export function createAiSdkAdapter(connection: ProviderConnection, providerModel: ProviderModel): ProviderAdapter {
  const { createEmbeddingModel } = providerModel;
  const begin: Begin = (options) => new Call({ connection, ...options }, providerModel);
  return {
    async complete(address, request, attempt) {
      const call = begin({
        address,
        attempt,
        streaming: false,
        bodyEdits: bodyEditsOf(providerModel, request, attempt),
      });
      return await call.guard(async () => {
        const model = await call.createModel();
        const result = await model.doGenerate(call.toCallOptions(request));
        call.recordWarnings(result.warnings);
        await call.rest();
        return toCompletion(result, call.identity(), address.provider);
      });
    },
    async stream(address, request, attempt) {
      const call = begin({
        address,
        attempt,
        streaming: true,
        bodyEdits: bodyEditsOf(providerModel, request, attempt),
      });
      return await call.guard(async () => {
        const model = await call.createModel();
        const { stream } = await model.doStream(call.toCallOptions(request));
        return await peekStream(new PartReader(stream.getReader(), call));
      });
    },
    ...(createEmbeddingModel === undefined ? {} : { embed: embedWith(providerModel, createEmbeddingModel, begin) }),
  };
}

type Begin = (options: Omit<CallOptions, "connection">) => Call;

function embedWith(
  { toEmbeddingOptions }: ProviderModel,
  createModel: NonNullable<ProviderModel["createEmbeddingModel"]>,
  begin: Begin,
): NonNullable<ProviderAdapter["embed"]> {
  return async (address, request, attempt) => {
    const call = begin({ address, attempt, streaming: false, bodyEdits: [] });
    return await call.guard(async () => {
      const results = await embedTexts(await createModel(call.modelOptions()), request, toEmbeddingOptions);
      call.recordWarnings(results.flatMap(({ warnings }) => warnings));
      await call.rest();
      const embeddings = toEmbeddings(results, address.model);
      const inBase64 = request.body["encoding_format"] === "base64";
      const data = await vectorsAsAsked(embeddings.data, { inBase64 });
      if (data !== undefined && data.length === request.texts.length) return embeddings;
      throw new ProviderError("malformed", `${address.provider} sent a reply that is not one embedding for each text`);
    });
  };
}

interface CallOptions {
  readonly connection: ProviderConnection;
  readonly address: ProviderAddress;
  readonly attempt: Attempt;
  readonly streaming: boolean;
  readonly bodyEdits: readonly BodyEdit[];
}

/** State of one attempt, shared by the request and the reply of the adapter. */
class Call {
  readonly wire: AttemptFetch;
  readonly #options: CallOptions;
  readonly #providerModel: ProviderModel;

  constructor(options: CallOptions, providerModel: ProviderModel) {
    this.#options = options;
    this.#providerModel = providerModel;
    this.wire = new AttemptFetch({ ...options, providerModel });
  }

  async createModel() {
    return await this.#providerModel.createModel(this.modelOptions());
  }

  /** @throws ProviderError where there is no credential. */
  modelOptions(): ModelOptions {
    const { address } = this.#options;
    if (address.apiKey === undefined)
      throw new ProviderError("unreachable", `${address.provider} has no credential`).asFree();
    return { address, apiKey: address.apiKey.reveal(), fetch: this.wire.fetch };
  }

  toCallOptions(request: CompletionRequest): LanguageModelV4CallOptions {
    const { provider, model } = this.#options.address;
    const options = toCallOptions(request, provider, this.#providerModel.promptForm);
    return this.#providerModel.adaptCallOptions?.(options, request, model) ?? options;
  }

  /** Logs parameters that the provider ignores; they do not fail the call. */
  recordWarnings(warnings: readonly SharedV4Warning[]): void {
    if (warnings.length === 0) return;
    const { address, connection } = this.#options;
    const features = warnings.map((warning) => ("feature" in warning ? warning.feature : warning.type));
    connection.log.debug({ provider: address.provider, model: address.model, features }, "parameters were left out");
  }

  /** Lets other requests run after a package has parsed a large reply. */
  async rest(): Promise<void> {
    if (isLarge(this.wire.wholeBytes)) await nextTurn();
  }

  /** For an answer that has begun to arrive: its model is known then. */
  identity(): CompletionIdentity {
    const { address, connection } = this.#options;
    const model = this.wire.reportedModel ?? address.model;
    return { id: `chatcmpl-${randomUUID()}`, model, created: Math.floor(connection.wallNow() / 1_000) };
  }

  translator(): StreamTranslator {
    const { provider, secrets } = this.#context();
    return new StreamTranslator(provider, secrets, () => this.identity());
  }

  /** Runs a part of the attempt. Any failure becomes a ProviderError, one from the wire first, and ends the attempt. */
  async guard<T>(part: () => Promise<T>): Promise<T> {
    try {
      return await part();
    } catch (err) {
      const { provider, secrets } = this.#context();
      const failure = this.wire.failure ?? fromThrown(err, provider, secrets);
      this.wire.cancel();
      throw this.wire.state === "unsent"
        ? failure.asFree()
        : this.wire.state === "served"
          ? failure.asBilled()
          : failure;
    }
  }

  #context() {
    const { address } = this.#options;
    return { provider: address.provider, secrets: secretsOf(address) };
  }
}

/** Reads a package's stream as chunks, up to the provider's finish; a stream that ends without one is cut. */
class PartReader implements ChunkSource {
  readonly #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
  readonly #call: Call;
  readonly #translator: StreamTranslator;
  readonly #progress = new CompletionProgress();

  constructor(reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>, call: Call) {
    this.#reader = reader;
    this.#call = call;
    this.#translator = call.translator();
  }

  get begun(): boolean {
    return this.#progress.begun;
  }

  async next(): Promise<readonly CompletionChunk[] | undefined> {
    if (this.#translator.finished) return undefined;
    return await this.#call.guard(async () => {
      const { done, value } = await this.#reader.read();
      if (value?.type === "stream-start") this.#call.recordWarnings(value.warnings);
      const chunks = done ? this.#endWithoutFinish() : this.#translator.translate(value);
      for (const chunk of chunks) this.#progress.see(chunk);
      if (this.#translator.finished) this.#call.wire.finish();
      else if (this.#progress.begun) this.#call.wire.outputBegan();
      return chunks;
    });
  }

  cancel(): void {
    this.#call.wire.cancel();
  }

  #endWithoutFinish(): readonly CompletionChunk[] {
    const finishReason = { unified: "interrupted", raw: undefined } as const;
    const inputTokens = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
    const outputTokens = { total: undefined, text: undefined, reasoning: undefined };
    return this.#translator.translate({ type: "finish", finishReason, usage: { inputTokens, outputTokens } });
  }
}
