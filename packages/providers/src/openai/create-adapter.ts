import { isLarge } from "@gatehouse/pace";
import { peekStream } from "../completion-stream/peek-stream.ts";
import { parseBaseUrl } from "../exchange/base-url.ts";
import { contentTypeOf, Exchange, type ReplyHead } from "../exchange/exchange.ts";
import { asRecord, parseReplyJson, readReplyJson } from "../exchange/json.ts";
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
import { parseCompletion } from "./parse-completion.ts";
import { parseEmbeddings } from "./parse-embeddings.ts";
import { ReplyIdentity } from "./reply-identity.ts";

const publicBaseUrl = "https://api.openai.com/v1";
const replyBytesMax = 32 * 1024 * 1024;
/** Longest list of vectors, bytes: 2,048 of them with 3,072 numbers fit. */
const embeddingsBytesMax = 192 * 1024 * 1024;
const completionsPath = "/chat/completions";

/**
 * Adapter for OpenAI and providers with a compatible API. Like OpenAI's client, it appends `/chat/completions` to the base URL
 * (Ollama: `http://127.0.0.1:11434/v1`) and keeps its query. A key is sent as a bearer token.
 */
export function createOpenAiAdapter(connection: ProviderConnection): ProviderAdapter {
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

async function complete(connection: ProviderConnection, call: Call): Promise<Completion> {
  const { provider, model } = call.address;
  const encoded = encodeRequest(call.request, { model });
  const body = encoded instanceof Promise ? await encoded : encoded;
  const exchange = open(connection, call, { path: completionsPath, body, streaming: false });
  const head = await exchange.headOfWhole(replyBytesMax);
  if (!isSuccess(head)) throw await readErrorReply(exchange, head, errorContext(connection, call.address));
  const text = exchange.takeWhole().toString("utf8");
  const reply = isLarge(text.length) ? await readReplyJson(text) : parseReplyJson(text);
  const error = findReplyError(provider, reply, secretsOf(call.address));
  if (error !== undefined) throw error;
  const parsed = parseCompletion(reply, nowSeconds(connection));
  if (parsed === undefined)
    throw new ProviderError("malformed", `${provider} sent a reply that is not a chat completion`);
  const completion = new ReplyIdentity(model).complete(parsed);
  return completion === reply ? rememberWireText(completion, text) : completion;
}

async function stream(connection: ProviderConnection, call: Call): Promise<CompletionStream> {
  const { address, request } = call;
  const options = { ...asRecord(request.stream_options), include_usage: true };
  const body = await encodeRequest(request, { model: address.model, stream: true, stream_options: options });
  const exchange = open(connection, call, { path: completionsPath, body, streaming: true });
  const head = await exchange.head();
  if (!isSuccess(head)) throw await readErrorReply(exchange, head, errorContext(connection, address));
  if (isJson(head)) throw await readMisplacedJson(address, exchange);
  const secrets = secretsOf(address);
  const { provider } = address;
  const choices = typeof request.n === "number" ? request.n : 1;
  const reader = { provider, secrets, choices, model: address.model, nowSeconds: nowSeconds(connection) };
  return await peekStream(new ChunkReader(exchange, reader));
}

async function embed(connection: ProviderConnection, call: Call<EmbeddingsRequest>): Promise<Embeddings> {
  const { provider, model } = call.address;
  const body = await encodeRequest(call.request.body, { model });
  const exchange = open(connection, call, { path: "/embeddings", body, streaming: false });
  const head = await exchange.head();
  if (!isSuccess(head)) throw await readErrorReply(exchange, head, errorContext(connection, call.address));
  const text = (await exchange.readAll(embeddingsBytesMax)).toString("utf8");
  const reply = await readReplyJson(text);
  const embeddings = parseEmbeddings(reply, model, call.request.texts.length);
  if (embeddings !== undefined) return embeddings === reply ? rememberWireText(embeddings, text) : embeddings;
  const error = findReplyError(provider, reply, secretsOf(call.address));
  if (error !== undefined) throw error;
  throw new ProviderError("malformed", `${provider} sent a reply that is not one embedding for each text`);
}

interface Outgoing {
  /** Below the base URL. */
  readonly path: string;
  readonly body: string;
  readonly streaming: boolean;
}

function open(connection: ProviderConnection, call: Call<unknown>, outgoing: Outgoing): Exchange {
  const { dispatcher, userAgent } = connection;
  const { body, streaming } = outgoing;
  const { address, attempt } = call;
  const { origin, path, query } = parseBaseUrl(address.baseUrl ?? publicBaseUrl, address.provider);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: streaming ? "text/event-stream" : "application/json",
    "user-agent": userAgent,
  };
  if (address.apiKey !== undefined) headers.authorization = `Bearer ${address.apiKey.reveal()}`;
  if (attempt.traceparent !== undefined) headers.traceparent = attempt.traceparent;
  const target = { dispatcher, provider: address.provider, origin, path: `${path}${outgoing.path}${query}` };
  return new Exchange({ ...target, headers, body, streaming, attempt });
}

/** Error for JSON that came in place of a stream: an error without its status, or an unusable answer. */
async function readMisplacedJson(address: ProviderAddress, exchange: Exchange): Promise<ProviderError> {
  const text = (await exchange.readAll(errorReplyBytesMax)).toString("utf8");
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
