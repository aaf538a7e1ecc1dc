import { isJsonObject, type JsonObject } from "@gatehouse/json";
import type { Completion, CompletionChunk, CompletionStream } from "@gatehouse/providers";
import { textFields } from "./message-texts.ts";

type Batch = readonly CompletionChunk[];

/** Returns the value with nothing but judged members; the same object where it has no others. */
type Keep = (value: unknown) => unknown;

/** Arguments of tools, which are judged in any form. */
const judged: Keep = (value) => value;
/** A picture, which is not read. */
const pictureAddress = /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]*={0,2}$/;

const called = members({ name: keepString, arguments: judged });
const custom = members({ name: keepString, input: judged });
const toolCalls = listOf(members({ id: keepMark, index: keepNumber, type: keepMark, function: called, custom }));
const pictures = listOf(keepPicture);
const message = members({
  role: keepMark,
  ...Object.fromEntries(textFields.map((field) => [field, keepTexts])),
  tool_calls: toolCalls,
  function_call: called,
  images: pictures,
});
const frame = {
  id: keepMark,
  object: keepMark,
  created: keepNumber,
  model: keepMark,
  system_fingerprint: keepMark,
  service_tier: keepMark,
  usage: keepCounts,
};
const choice = { index: keepNumber, finish_reason: keepMark };
const completion = members({ ...frame, choices: listOf(members({ ...choice, message })) });
const chunk = members({ ...frame, choices: listOf(members({ ...choice, delta: message })) });

/**
 * Reduces an answer to the members whose texts are judged and those that hold no text of a model. Everything else, such as the
 * tokens in `logprobs`, a spoken answer or a member of another API, would show a caller what the judged texts hide. The copy is
 * without the provider's wire text, which may have more than was parsed: the earlier of two equal keys.
 */
export function keepJudged(given: Completion): Completion {
  return { ...(completion(given) as Completion) };
}

/** A chunk reduced as by {@link keepJudged}. */
function keepJudgedChunk(given: CompletionChunk): CompletionChunk {
  return { ...(chunk(given) as CompletionChunk) };
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
    return done === true ? { done: true, value: undefined } : { done: false, value: value.map(keepJudgedChunk) };
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

const textPart = members({ type: keepMark, text: keepString, refusal: keepString });
const toolPart = members({ type: keepMark, id: keepMark, name: keepString, input: judged });
const parts = listOf((part) => {
  const type = isJsonObject(part) ? part["type"] : undefined;
  if (type === "image_url") return keepPicture(part);
  return type === "tool_use" ? toolPart(part) : textPart(part);
});

function keepString(value: unknown): unknown {
  return typeof value === "string" ? value : null;
}

/** Longest mark of the protocol, such as an id, characters. */
const markLengthMax = 256;

/** Keeps a text of the protocol or the provider: one word. */
function keepMark(value: unknown): unknown {
  return typeof value === "string" && value.length <= markLengthMax && !/\s/u.test(value) ? value : null;
}

function keepNumber(value: unknown): unknown {
  return typeof value === "number" ? value : null;
}

/** Keeps the numbers of an object, and of objects in it. */
function keepCounts(value: unknown): unknown {
  if (!isJsonObject(value)) return keepNumber(value);
  const kept = Object.entries(value).map(([name, count]) => [name, keepCounts(count)] as const);
  return Object.fromEntries(kept.filter(([, count]) => count !== null));
}

function keepPicture(value: unknown): JsonObject | null {
  const address = isJsonObject(value) && isJsonObject(value["image_url"]) ? value["image_url"]["url"] : undefined;
  if (typeof address !== "string" || !pictureAddress.test(address)) return null;
  return picture(value) as JsonObject;
}

const picture = members({ type: keepMark, index: keepNumber, image_url: members({ url: keepString }) });
