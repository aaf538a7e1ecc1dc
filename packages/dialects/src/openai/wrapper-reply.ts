import { encodeJson } from "@gatehouse/json";
import type { ChatRequest } from "../chat/chat-request.ts";
import {
  type Completion,
  type CompletionChunk,
  type CompletionUsage,
  type Embedding,
  type Embeddings,
  toBase64Vector,
  wireText,
} from "@gatehouse/providers";
import { toTextChunk, toTextCompletion } from "./text-completion.ts";

/** The call that a reply belongs to. */
export interface RepliedCall {
  readonly surface: string;
  readonly requestId: string;
  readonly request: Pick<ChatRequest, "parameters">;
  readonly answeredBy: { readonly target: { readonly model: string } };
}

/** OpenAI's JSON of a completion: the provider's own text where nothing has to be filled in or put otherwise. A large one is written in slices. */
export function toCompletionText(
  call: RepliedCall,
  completion: Completion,
  usage: CompletionUsage,
): string | Promise<string> {
  if (isOfText(call)) return encodeJson(toTextCompletion({ ...completion, ...identify(call, completion), usage }));
  const text = completion[wireText];
  if (text !== undefined && completion.usage !== undefined && typeof completion["object"] === "string") return text;
  return encodeJson({ object: "chat.completion", ...completion, ...identify(call, completion), usage });
}

/** OpenAI's JSON of a chunk, likewise. */
export function toChunkText(call: RepliedCall, chunk: CompletionChunk): string | Promise<string> {
  if (isOfText(call)) return encodeJson(toTextChunk({ ...chunk, ...identify(call, chunk) }));
  const text = chunk[wireText];
  if (text !== undefined && typeof chunk["object"] === "string") return text;
  return encodeJson({ object: "chat.completion.chunk", ...chunk, ...identify(call, chunk) });
}

/** The last chunk of a stream whose provider has sent no token counts. */
export function toUsageChunkText(call: RepliedCall, head: CompletionChunk | undefined, usage: CompletionUsage): string {
  const { id = "", model = "", created = 0 } = head ?? {};
  const frame = { created, ...identify(call, { id, model }), choices: [], usage };
  return JSON.stringify(isOfText(call) ? toTextChunk(frame) : { object: "chat.completion.chunk", ...frame });
}

/** Whether the caller wants the objects of OpenAI's older completions. */
function isOfText({ surface }: RepliedCall): boolean {
  return surface === "wrapper.completions";
}

/** OpenAI's JSON of embeddings: the provider's own text where nothing has to be filled in or encoded. */
export function toEmbeddingsText(
  { request }: RepliedCall,
  embeddings: Embeddings,
  usage: CompletionUsage,
): string | Promise<string> {
  const wantsBase64 = request.parameters?.["encoding_format"] === "base64";
  const data = wantsBase64 ? embeddings.data.map(inBase64) : embeddings.data;
  const isAsAsked = data.every((item, index) => item === embeddings.data[index]);
  const text = embeddings[wireText];
  if (text !== undefined && embeddings.usage !== undefined && isAsAsked) return text;
  const { prompt_tokens, total_tokens } = usage;
  return encodeJson({ ...embeddings, data, usage: embeddings.usage ?? { prompt_tokens, total_tokens } });
}

function inBase64(item: Embedding): Embedding {
  return typeof item.embedding === "string" ? item : { ...item, embedding: toBase64Vector(item.embedding) };
}

/** Names for replies that came without: clients rely on them. */
function identify(call: RepliedCall, { id, model }: { readonly id: string; readonly model: string }) {
  return {
    id: id === "" ? `chatcmpl-${call.requestId}` : id,
    model: model === "" ? call.answeredBy.target.model : model,
  };
}
