import { createHmac, randomBytes } from "node:crypto";
import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { type Completion, type CompletionChunk, type CompletionStream, ReplyIdentity } from "@gatehouse/providers";
import { HeldBatches } from "./hold-stream.ts";
import { textFields } from "./message-texts.ts";

/** Returns the value with nothing but judged members; objects as copies. */
type Keep = (value: unknown) => unknown;

/** Arguments of tools, which are judged in any form. */
const judged: Keep = (value) => value;
/** A picture, which is not read. */
const pictureAddress = /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]*={0,2}$/;

const called = members({ name: keepString, arguments: judged });
const custom = members({ name: keepString, input: judged });
const toolCalls = listOf(members({ id: keepCallId, index: keepNumber, type: keepMark, function: called, custom }));
const pictures = listOf(keepPicture);
const message = members({
  role: keepMark,
  ...Object.fromEntries(textFields.map((field) => [field, keepTexts])),
  tool_calls: toolCalls,
  function_call: called,
  images: pictures,
});
const frame = {
  id: keepIdentity,
  object: keepMark,
  created: keepNumber,
  model: keepIdentity,
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
 * without the provider's wire text, which may have more than was parsed: the earlier of two equal keys. An `id` or `model` that
 * may be a text of the model is replaced, as a missing one.
 * @param model the target's
 */
export function keepJudged(given: Completion, model: string): Completion {
  return new ReplyIdentity(model).complete(completion(given) as Completion);
}

/** The stream with each of its chunks reduced by {@link keepJudged}. */
export function keepJudgedStream({ batches }: CompletionStream, model: string): CompletionStream {
  const identity = new ReplyIdentity(model);
  const reduce = (batch: readonly CompletionChunk[]) =>
    batch.map((given) => identity.complete(chunk(given) as CompletionChunk));
  return { batches: new HeldBatches([], batches[Symbol.asyncIterator](), reduce) };
}

/** A copy of an object with its named members, and with others that are null. */
function members(named: Readonly<Record<string, Keep>>): Keep {
  const kept = new Map(Object.entries(named));
  return (value) => {
    if (!isJsonObject(value)) return null;
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const inner = value[name];
      const keep = kept.get(name);
      if (inner === null) copy[name] = null;
      else if (inner !== undefined && keep !== undefined) copy[name] = keep(inner);
    }
    return copy;
  };
}

/** Keeps the objects of a list, each reduced. */
function listOf(keep: Keep): Keep {
  return (value) => {
    if (!Array.isArray(value)) return null;
    const list: readonly unknown[] = value;
    return list.map(keep).filter((one) => one !== null);
  };
}

/** Keeps a text, and the parts of a list that are judged or pictures. */
function keepTexts(value: unknown): unknown {
  return typeof value === "string" ? value : parts(value);
}

const textPart = members({ type: keepMark, text: keepString, refusal: keepString });
const toolPart = members({ type: keepMark, id: keepCallId, name: keepString, input: judged });
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

const callIdKey = randomBytes(32);

/** Keeps the id of a call; a text of several words becomes an id, the same in every chunk, for the result to name. */
function keepCallId(value: unknown): unknown {
  if (typeof value !== "string") return null;
  return keepMark(value) ?? `call_${createHmac("sha256", callIdKey).update(value).digest("hex").slice(0, 24)}`;
}

/** Keeps a mark; anything else counts as missing, which {@link ReplyIdentity} fills in. */
function keepIdentity(value: unknown): unknown {
  return keepMark(value) ?? "";
}

function keepNumber(value: unknown): unknown {
  return typeof value === "number" ? value : null;
}

/** Keeps the numbers of an object, and of objects in it. */
function keepCounts(value: unknown): unknown {
  if (!isJsonObject(value)) return keepNumber(value);
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const count = keepCounts(value[name]);
    // No count has this name, which would change the object's prototype.
    if (count !== null && name !== "__proto__") kept[name] = count;
  }
  return kept;
}

function keepPicture(value: unknown): JsonObject | null {
  const address = isJsonObject(value) && isJsonObject(value["image_url"]) ? value["image_url"]["url"] : undefined;
  if (typeof address !== "string" || !pictureAddress.test(address)) return null;
  return picture(value) as JsonObject;
}

const picture = members({ type: keepMark, index: keepNumber, image_url: members({ url: keepString }) });
