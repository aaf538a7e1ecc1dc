import { isJsonObject, type JsonObject } from "@gatehouse/json";
import type { Completion, CompletionChunk, CompletionStream } from "@gatehouse/providers";
import { textFields } from "./message-texts.ts";

type Batch = readonly CompletionChunk[];

/** Returns the value with nothing but judged members; the same object where it has no others. */
type Keep = (value: unknown) => unknown;

const anything: Keep = (value) => value;
/** A picture, which is not read. */
const pictureAddress = /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]*={0,2}$/;

const called = members({ name: anything, arguments: anything });
const custom = members({ name: anything, input: anything });
const toolCalls = listOf(members({ id: anything, index: anything, type: anything, function: called, custom }));
const pictures = listOf(keepPicture);
const message = members({
  role: anything,
  ...Object.fromEntries(textFields.map((field) => [field, keepTexts])),
  tool_calls: toolCalls,
  function_call: called,
  images: pictures,
});
const choice = members({ index: anything, message, delta: message, finish_reason: anything });
const reply = members({
  id: anything,
  object: anything,
  created: anything,
  model: anything,
  system_fingerprint: anything,
  service_tier: anything,
  choices: listOf(choice),
  usage: anything,
});

/**
 * Reduces an answer to the members whose texts are judged and those that hold no text of a model. Everything else, such as the
 * tokens in `logprobs`, a spoken answer or a member of another API, would show a caller what the judged texts hide.
 */
export function keepJudged<Reply extends Completion | CompletionChunk>(given: Reply): Reply {
  return reply(given) as Reply;
}

/** The stream with each of its chunks reduced by {@link keepJudged}. */
export function keepJudgedStream({ batches }: CompletionStream): CompletionStream {
  return { batches: new JudgedBatches(batches[Symbol.asyncIterator]()) };
}

/** Not a generator: leaving an iteration that has not begun must reach the stream too. */
class JudgedBatches implements AsyncIterableIterator<Batch> {
  readonly #batches: AsyncIterator<Batch>;

  constructor(batches: AsyncIterator<Batch>) {
    this.#batches = batches;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    const { done, value } = await this.#batches.next();
    return done === true ? { done: true, value: undefined } : { done: false, value: value.map(keepJudged) };
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }
}

/** Keeps the named members of an object, and others that are null. */
function members(kept: Readonly<Record<string, Keep>>): Keep {
  return (value) => {
    if (!isJsonObject(value)) return null;
    let copy: Record<string, unknown> | undefined;
    for (const [name, inner] of Object.entries(value)) {
      const keep = Object.hasOwn(kept, name) ? kept[name] : undefined;
      const next = keep === undefined ? null : keep(inner);
      if (next === inner || inner === null) continue;
      copy ??= { ...value };
      if (keep === undefined) delete copy[name];
      else copy[name] = next;
    }
    return copy ?? value;
  };
}

/** Keeps the objects of a list, each reduced. */
function listOf(keep: Keep): Keep {
  return (value) => {
    if (!Array.isArray(value)) return null;
    const list: readonly unknown[] = value;
    const kept = list.map(keep);
    return kept.every((one, at) => one === list[at]) ? list : kept.filter((one) => one !== null);
  };
}

/** Keeps a text, and the parts of a list that are judged or pictures. */
function keepTexts(value: unknown): unknown {
  return typeof value === "string" ? value : parts(value);
}

const textPart = members({ type: anything, text: keepString, refusal: keepString });
const toolPart = members({ type: anything, id: anything, name: anything, input: anything });
const parts = listOf((part) => {
  const type = isJsonObject(part) ? part["type"] : undefined;
  if (type === "image_url") return keepPicture(part);
  return type === "tool_use" ? toolPart(part) : textPart(part);
});

function keepString(value: unknown): unknown {
  return typeof value === "string" ? value : null;
}

function keepPicture(value: unknown): JsonObject | null {
  const address = isJsonObject(value) && isJsonObject(value["image_url"]) ? value["image_url"]["url"] : undefined;
  if (typeof address !== "string" || !pictureAddress.test(address)) return null;
  return picture(value) as JsonObject;
}

const picture = members({ type: anything, index: anything, image_url: members({ url: anything }) });
