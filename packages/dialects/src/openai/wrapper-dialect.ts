import { encodeJson } from "@gatehouse/json";
import { Pace } from "@gatehouse/pace";
import {
  type Completion,
  type CompletionChunk,
  type CompletionUsage,
  type Embedding,
  type Embeddings,
  isUsageOnly,
  textRun,
  toBase64Vector,
  wireText,
  withText,
} from "@gatehouse/providers";
import { GeneratedText } from "../generated-text.ts";
import { EventRun, type RepliedCall, type ReplyDialect, type ReplyEvent, type ReplyEvents } from "../reply-dialect.ts";
import { toTextChunk, toTextCompletion } from "./text-completion.ts";
import { wantsUsage } from "./wrapper-request.ts";

/** Replies of the Wrapper routes in OpenAI's forms; a provider's wire text is sent unchanged where nothing differs. */
export const wrapperDialect: ReplyDialect = {
  toBody(call, reply, usage) {
    return reply.kind === "complete"
      ? toCompletionText(call, reply.completion, usage)
      : toEmbeddingsText(call, reply.embeddings, usage);
  },
  openEvents: (call) => new WrapperChunkSequence(call),
};

/** OpenAI's JSON of a completion: the provider's wire text where nothing has to be changed. A large one is written in slices. */
function toCompletionText(call: RepliedCall, completion: Completion, usage: CompletionUsage): string | Promise<string> {
  if (isOfText(call)) return encodeJson(toTextCompletion({ ...completion, usage }));
  const text = completion[wireText];
  if (text !== undefined && completion.usage !== undefined && typeof completion["object"] === "string") return text;
  return encodeJson({ ...withObject(completion, "chat.completion"), usage });
}

/** OpenAI's chunk: the provider's wire text where nothing has to be changed, else the object to encode. */
function toChunkEvent(call: RepliedCall, chunk: CompletionChunk): ReplyEvent {
  if (isOfText(call)) return toTextChunk(chunk);
  const text = chunk[wireText];
  if (text !== undefined && typeof chunk["object"] === "string") return text;
  return withObject(chunk, "chat.completion.chunk");
}

/** The reply with the name of its form, which some servers leave out or send as null. */
function withObject<T extends Completion | CompletionChunk>(reply: T, name: string): T {
  return typeof reply["object"] === "string" ? reply : { ...reply, object: name };
}

/** Sends a provider's chunks unchanged, the one with token counts only to callers who asked for it. */
class WrapperChunkSequence implements ReplyEvents {
  readonly #call: RepliedCall;
  readonly #withUsage: boolean;
  readonly #generated = new GeneratedText();
  /** Empty: this dialect sends the whole answer. */
  readonly beside = "";

  constructor(call: RepliedCall) {
    this.#call = call;
    this.#withUsage = wantsUsage(call.request);
  }

  get content(): string {
    return this.#generated.text;
  }

  get usage(): CompletionUsage | undefined {
    return this.#generated.usage;
  }

  push(chunk: CompletionChunk): readonly ReplyEvent[] {
    this.#generated.add(chunk);
    if (!this.#withUsage && isUsageOnly(chunk)) return noEvents;
    const run = chunk[textRun];
    if (run === undefined) return [toChunkEvent(this.#call, chunk)];
    if (!isOfText(this.#call) && typeof chunk["object"] === "string") return [new EventRun(run)];
    return run.texts.map((text) => toChunkEvent(this.#call, withText(chunk, text)));
  }

  /** Token counts, where the caller asked for them and the provider sent none. */
  finish(usage: CompletionUsage): readonly object[] {
    if (!this.#withUsage || this.#generated.usage !== undefined) return noEvents;
    const { id = "", model = "", created = 0 } = this.#generated.head ?? {};
    const frame = { created, id, model, choices: [], usage };
    return [isOfText(this.#call) ? toTextChunk(frame) : { object: "chat.completion.chunk", ...frame }];
  }
}

const noEvents: readonly never[] = [];

/** Whether the caller expects objects of OpenAI's older completions. */
function isOfText({ surface }: RepliedCall): boolean {
  return surface === "wrapper.completions";
}

/** OpenAI's JSON of embeddings: the provider's wire text where nothing has to be changed. */
function toEmbeddingsText(
  { request }: RepliedCall,
  embeddings: Embeddings,
  usage: CompletionUsage,
): string | Promise<string> {
  const { data, usage: reported } = embeddings;
  const isAsAsked = request.parameters?.["encoding_format"] !== "base64" || data.every(isBase64);
  const text = embeddings[wireText];
  if (text !== undefined && reported !== undefined && isAsAsked) return text;
  const { prompt_tokens, total_tokens } = usage;
  const counted = { ...embeddings, usage: reported ?? { prompt_tokens, total_tokens } };
  return isAsAsked
    ? encodeJson(counted)
    : inBase64(data).then((converted) => encodeJson({ ...counted, data: converted }));
}

/** Vectors as base64. Works in slices, since there may be millions of numbers. */
async function inBase64(data: readonly Embedding[]): Promise<readonly Embedding[]> {
  const pace = new Pace();
  const converted: Embedding[] = [];
  for (const item of data) {
    if (pace.isDue) await pace.rest();
    const { embedding } = item;
    converted.push(typeof embedding === "string" ? item : { ...item, embedding: toBase64Vector(embedding) });
  }
  return converted;
}

function isBase64({ embedding }: Embedding): boolean {
  return typeof embedding === "string";
}
