import type { JsonObject } from "@gatehouse/json";
import { asRecord } from "../exchange/json.ts";
import type { Embedding, Embeddings, EmbeddingsUsage } from "../forms/embeddings.ts";
import { isTokenCount } from "../forms/token-count.ts";
import { isIndex } from "./parse-completion.ts";

/**
 * A reply's JSON as Embeddings, or undefined where any vector is missing or invalid. A whole reply is returned unchanged; fields
 * that compatible servers leave out are filled in.
 * @param texts number of texts sent; each must have its vector
 */
export function parseEmbeddings(json: unknown, model: string, texts: number): Embeddings | undefined {
  const reply = asRecord(json);
  const listed: unknown = reply?.data;
  if (reply === undefined || !Array.isArray(listed) || !listed.every(hasVector)) return undefined;
  if (!isForEach(listed, texts)) return undefined;
  if (isWhole(reply, listed)) return reply;
  const data = listed.map((item, place) => ({ object: "embedding", ...item, index: indexOf(item, place) }));
  const { usage: reported, ...rest } = reply;
  const usage = parseUsage(reported);
  return {
    ...rest,
    object: typeof reply.object === "string" ? reply.object : "list",
    model: typeof reply.model === "string" && reply.model !== "" ? reply.model : model,
    data,
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The numbers of a vector are checked later, in slices (`vectors-as-asked.ts`). */
function hasVector(value: unknown): value is JsonObject & Pick<Embedding, "embedding"> {
  const vector = asRecord(value)?.embedding;
  return typeof vector === "string" || Array.isArray(vector);
}

/** Whether each text has its vector: an empty list, or one vector twice, must not pass. */
function isForEach(data: readonly JsonObject[], texts: number): boolean {
  const indexes = new Set(data.map(indexOf));
  return data.length === texts && indexes.size === texts && [...indexes].every((index) => index >= 0 && index < texts);
}

function isWhole(reply: JsonObject, data: readonly JsonObject[]): reply is Embeddings & JsonObject {
  if (typeof reply.object !== "string" || typeof reply.model !== "string" || reply.model === "") return false;
  const { prompt_tokens: prompt, total_tokens: total } = asRecord(reply.usage) ?? {};
  const isCounted = reply.usage === undefined || (isTokenCount(prompt) && isTokenCount(total));
  return isCounted && data.every(({ index }) => isIndex(index));
}

function indexOf({ index }: JsonObject, place: number): number {
  return isIndex(index) ? index : place;
}

/** Token counts, or undefined where they are absent or invalid. A missing total is the prompt's. */
function parseUsage(json: unknown): EmbeddingsUsage | undefined {
  const usage = asRecord(json);
  const { prompt_tokens: prompt, total_tokens: total } = usage ?? {};
  if (!isTokenCount(prompt)) return undefined;
  return { ...usage, prompt_tokens: prompt, total_tokens: isTokenCount(total) ? total : prompt };
}
