import { createHash } from "node:crypto";
import { nextTurn } from "@gatehouse/pace";
import type { TokenCounter } from "@gatehouse/tokens";
import type { Embeddings, EmbeddingsRequest } from "../forms/embeddings.ts";

const dimensionsDefault = 256;
const dimensionsMax = 4_096;
/** Most numbers of one reply; as JSON they take about 3 MB and 15 ms. */
const numbersMax = 131_072;

/** Problem of a request for more numbers than one reply may have. */
export function findEmbeddingProblem({ texts, body }: EmbeddingsRequest): string | undefined {
  const dimensions = dimensionsOf(body);
  if (texts.length * dimensions <= numbersMax) return undefined;
  return `${texts.length} texts of ${dimensions} dimensions are more than ${numbersMax} numbers; send fewer texts or ask for fewer dimensions`;
}

function dimensionsOf({ dimensions: asked }: EmbeddingsRequest["body"]): number {
  return typeof asked === "number" ? Math.min(asked, dimensionsMax) : dimensionsDefault;
}

/** Unit vectors that depend on the text alone: each word has a place and a sign, so texts that share words lie close together. */
export async function embedTexts(
  { texts, body }: EmbeddingsRequest,
  model: string,
  counter: TokenCounter,
): Promise<Embeddings> {
  const dimensions = dimensionsOf(body);
  const tokens = await counter.ofTexts(texts, { mayEstimate: true });
  const vectors: (readonly number[])[] = [];
  let chars = 0;
  for (const text of texts) {
    vectors.push(toVector(text, dimensions));
    chars += text.length;
    if (chars < charsPerTurn) continue;
    chars = 0;
    await nextTurn();
  }
  return {
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Characters of texts between two turns of the event loop. */
const charsPerTurn = 16_384;
/** Characters that a vector is made of; later ones are ignored. */
const vectorCharsMax = 32_768;

function toVector(text: string, dimensions: number): readonly number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.slice(0, vectorCharsMax).toLowerCase().match(/\S+/g) ?? [""]) {
    const hash = createHash("sha256").update(word).digest();
    const place = hash.readUInt32LE(0) % dimensions;
    vector[place] = (vector[place] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  // Words of opposite sign may cancel out in every place.
  return length === 0 ? vector.fill(1 / Math.sqrt(dimensions)) : vector.map((value) => value / length);
}
