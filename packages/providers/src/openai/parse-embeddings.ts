import type { JsonObject } from "@gatehouse/json";
import { asRecord, isCount } from "../exchange/json.ts";
import type { Embedding, Embeddings, EmbeddingsUsage } from "../forms/embeddings.ts";

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
  const data = listed.map((item, index) => ({ object: "embedding", index, ...item }));
  const { usage: reported, ...rest } = reply;
  const usage = parseUsage(reported);
  return {
    object: "list",
    ...rest,
    model: typeof reply.model === "string" && reply.model !== "" ? reply.model : model,
    data,
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The numbers of a vector are not checked: there may be millions. */
function hasVector(value: unknown): value is JsonObject & Pick<Embedding, "embedding"> {
  const vector = asRecord(value)?.embedding;
  return typeof vector === "string" || Array.isArray(vector);
}

/** Whether each text has its vector: an empty list, or one vector twice, must not pass. */
function isForEach(data: readonly JsonObject[], texts: number): boolean {
  const indexes = new Set(data.map(({ index }, place) => (typeof index === "number" ? index : place)));
  return data.length === texts && indexes.size === texts && [...indexes].every((index) => index >= 0 && index < texts);
}

function isWhole(reply: JsonObject, data: readonly JsonObject[]): reply is Embeddings & JsonObject {
  if (typeof reply.object !== "string" || typeof reply.model !== "string" || reply.model === "") return false;
  const { prompt_tokens: prompt, total_tokens: total } = asRecord(reply.usage) ?? {};
  const isCounted = reply.usage === undefined || (isCount(prompt) && isCount(total));
  return isCounted && data.every(({ index }) => typeof index === "number");
}

/** Token counts, or undefined where they are absent or invalid. A missing total is the prompt's. */
function parseUsage(json: unknown): EmbeddingsUsage | undefined {
  const usage = asRecord(json);
  const { prompt_tokens: prompt, total_tokens: total } = usage ?? {};
  if (!isCount(prompt)) return undefined;
  return { ...usage, prompt_tokens: prompt, total_tokens: isCount(total) ? total : prompt };
}
