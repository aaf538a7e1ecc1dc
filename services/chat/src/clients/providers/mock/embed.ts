import { createHash } from "node:crypto";
import type { Embeddings, EmbeddingsRequest } from "../../../domain/embeddings.ts";
import { countTokens } from "../../../domain/token-count.ts";

const dimensionsDefault = 256;
const dimensionsMax = 4_096;

/**
 * Vectors of length one that depend on nothing but the text: each word has a place and a sign, so texts that share words
 * lie close together.
 */
export async function embedTexts({ texts, body }: EmbeddingsRequest, model: string): Promise<Embeddings> {
  const asked = body["dimensions"];
  const dimensions = typeof asked === "number" ? Math.min(asked, dimensionsMax) : dimensionsDefault;
  const counts = await Promise.all(texts.map(countTokens));
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  return {
    object: "list",
    data: texts.map((text, index) => ({ object: "embedding", index, embedding: toVector(text, dimensions) })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function toVector(text: string, dimensions: number): readonly number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/\S+/g) ?? [""]) {
    const hash = createHash("sha256").update(word).digest();
    const place = hash.readUInt32LE(0) % dimensions;
    vector[place] = (vector[place] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  // Words of opposite sign may have met in every place.
  return length === 0 ? vector.fill(1 / Math.sqrt(dimensions)) : vector.map((value) => value / length);
}
