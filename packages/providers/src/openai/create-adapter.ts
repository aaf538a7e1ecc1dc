import { isLarge } from "@gatehouse/pace";
import { peekStream } from "../completion-stream/peek-stream.ts";
import { contentTypeOf, Exchange, type ReplyHead } from "../exchange/exchange.ts";
import { asRecord, parseReplyJson, readReplyJson, toReplyText } from "../exchange/json.ts";
import { type ErrorReplyContext, errorReplyBytesMax, isSuccess, readErrorReply } from "../exchange/read-error-reply.ts";
import { secretsOf } from "../exchange/redaction.ts";
import { type Completion, type CompletionRequest, rememberWireText } from "../forms/completion.ts";
import type { Embeddings, EmbeddingsRequest } from "../forms/embeddings.ts";
import {
  type Attempt,
  type CompletionStream,
  type ProviderAdapter,
  type ProviderAddress,
  type ProviderConnection,
  ProviderError,
} from "../provider.ts";
import { ChunkReader } from "./chunk-reader.ts";
import { encodeRequest } from "./encode-request.ts";
import { findReplyError } from "./find-reply-error.ts";
import type { OpenAiApi } from "./openai-api.ts";
import { parseCompletion } from "./parse-completion.ts";
import { parseEmbeddings } from "./parse-embeddings.ts";
import { ReplyIdentity } from "./reply-identity.ts";
import { vectorsAsAsked } from "./vectors-as-asked.ts";

const replyBytesMax = 32 * 1024 * 1024;
/** Longest list of vectors, bytes: 2,048 of them with 3,072 numbers fit. */
const embeddingsBytesMax = 192 * 1024 * 1024;
const completionsOperation = "/chat/completions";

interface ApiConnection extends ProviderConnection {
  readonly api: OpenAiApi;
}

/** Adapter for an API that is OpenAI's. Requests and replies keep every field. */
export function createOpenAiAdapter(shared: ProviderConnection, api: OpenAiApi): ProviderAdapter {
  const connection: ApiConnection = { ...shared, api };
  return {
    complete: (address, request, attempt) => complete(connection, { address, request, attempt }),
    stream: (address, request, attempt) => stream(connection, { address, request, attempt }),
    embed: (address, request, attempt) => embed(connection, { address, request, attempt }),
  };
}

interface Call<Request = CompletionRequest> {
  readonly address: ProviderAddress;
  readonly request: Request;
  readonly attempt: Attempt;
}

async function complete(connection: ApiConnection, call: Call): Promise<Completion> {
  const { provider, model } = call.address;
  const encoded = encodeRequest(call.request, { model }, call.attempt.written);
  const body = encoded instanceof Promise ? await encoded : encoded;
  const exchange = open(connection, call, { operation: completionsOperation, body, streaming: false });
  const head = await exchange.headOfWhole(replyBytesMax);
  if (!isSuccess(head)) throw await readErrorReply(exchange, head, errorContext(connection, call.address));
  const text = toReplyText(exchange.takeWhole());
  const reply = isLarge(text.length) ? await readReplyJson(text) : parseReplyJson(text);
  const error = findReplyError(provider, reply, secretsOf(call.address));
  if (error !== undefined) throw error;
  const parsed = parseCompletion(reply, nowSeconds(connection));
  if (parsed === undefined)
    throw new ProviderError("malformed", `${provider} sent a reply that is not a chat completion`);
  const completion = new ReplyIdentity(model).complete(parsed);
  return completion === reply ? rememberWireText(completion, text) : completion;
}

async function stream(connection: ApiConnection, call: Call): Promise<CompletionStream> {
  const { address, request, attempt } = call;
  const options = { ...asRecord(request.stream_options), include_usage: true };
  const managed = { model: address.model, stream: true, stream_options: options } as const;
  const body = await encodeRequest(request, managed, attempt.written);
  const exchange = open(connection, call, { operation: completionsOperation, body, streaming: true });
  const head = await exchange.head();
  if (!isSuccess(head)) throw await readErrorReply(exchange, head, errorContext(connection, address));
  if (isJson(head)) throw await readMisplacedJson(address, exchange);
  const secrets = secretsOf(address);
  const { provider } = address;
  const choices = typeof request.n === "number" ? request.n : 1;
  const reader = { provider, secrets, choices, model: address.model, nowSeconds: nowSeconds(connection) };
  return await peekStream(new ChunkReader(exchange, reader));
}

async function embed(connection: ApiConnection, call: Call<EmbeddingsRequest>): Promise<Embeddings> {
  const { provider, model } = call.address;
  const body = await encodeRequest(call.request.body, { model }, call.attempt.written);
  const exchange = open(connection, call, { operation: "/embeddings", body, streaming: false });
  const head = await exchange.head();
  if (!isSuccess(head)) throw await readErrorReply(exchange, head, errorContext(connection, call.address));
  const text = toReplyText(await exchange.readAll(embeddingsBytesMax));
  const reply = await readReplyJson(text);
  const embeddings = parseEmbeddings(reply, model, call.request.texts.length);
  const inBase64 = call.request.body["encoding_format"] === "base64";
  const data = embeddings && (await vectorsAsAsked(embeddings.data, { inBase64 }));
  if (embeddings !== undefined && data !== undefined) {
    if (data !== embeddings.data) return { ...embeddings, data };
    return embeddings === reply ? rememberWireText(embeddings, text) : embeddings;
  }
  const error = findReplyError(provider, reply, secretsOf(call.address));
  if (error !== undefined) throw error;
  throw new ProviderError("malformed", `${provider} sent a reply that is not one embedding for each text`);
}

interface Outgoing {
  readonly operation: string;
  readonly body: string | Buffer;
  readonly streaming: boolean;
}

function open(connection: ApiConnection, call: Call<unknown>, outgoing: Outgoing): Exchange {
  const { api, dispatcher, userAgent } = connection;
  const { body, streaming } = outgoing;
  const { address, attempt } = call;
  const endpoint = api.endpointOf(address, outgoing.operation);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: streaming ? "text/event-stream" : "application/json",
    "user-agent": userAgent,
    ...(address.apiKey === undefined ? {} : api.keyHeader(address.apiKey.reveal())),
  };
  if (attempt.traceparent !== undefined) headers.traceparent = attempt.traceparent;
  const target = { dispatcher, provider: address.provider, ...endpoint };
  return new Exchange({ ...target, headers, body, streaming, attempt });
}

/** Error for JSON that came in place of a stream: an error without its status, or an unusable answer. */
async function readMisplacedJson(address: ProviderAddress, exchange: Exchange): Promise<ProviderError> {
  const text = toReplyText(await exchange.readAll(errorReplyBytesMax));
  const error = findReplyError(address.provider, await readReplyJson(text), secretsOf(address));
  return error ?? new ProviderError("malformed", `${address.provider} answered a streaming call with JSON`);
}

function isJson(head: ReplyHead): boolean {
  return contentTypeOf(head).startsWith("application/json");
}

function errorContext({ wallNow }: ProviderConnection, address: ProviderAddress): ErrorReplyContext {
  return { provider: address.provider, secrets: secretsOf(address), nowMs: wallNow() };
}

function nowSeconds({ wallNow }: ProviderConnection): number {
  return Math.floor(wallNow() / 1_000);
}
