import { Pace } from "@gatehouse/pace";
import { type Embedding, fromBase64Vector } from "../forms/embeddings.ts";

/**
 * Vectors in the form that was asked for, which some servers ignore: base64 becomes numbers unless `inBase64`. The list itself
 * where all have it; undefined where a vector is empty, differs in length from the first, or has anything but numbers. Works in
 * slices, since there may be millions of numbers.
 */
export async function vectorsAsAsked(
  data: readonly Embedding[],
  { inBase64 }: { readonly inBase64: boolean },
): Promise<readonly Embedding[] | undefined> {
  const pace = new Pace();
  const asked: Embedding[] = [];
  let dimensions: number | undefined;
  for (const item of data) {
    if (pace.isDue) await pace.rest();
    const { embedding } = item;
    const length = typeof embedding === "string" ? dimensionsOf(embedding) : embedding.length;
    dimensions ??= length;
    if (length === 0 || length !== dimensions) return undefined;
    const vector = typeof embedding === "string" && !inBase64 ? fromBase64Vector(embedding) : embedding;
    if (typeof vector !== "string" && !vector.every(Number.isFinite)) return undefined;
    asked.push(vector === embedding ? item : { ...item, embedding: vector });
  }
  return asked.every((item, place) => item === data[place]) ? data : asked;
}

/** Numbers in a base64 of 32-bit floats; 0 where it is none. */
function dimensionsOf(base64: string): number {
  const count = Buffer.byteLength(base64, "base64") / Float32Array.BYTES_PER_ELEMENT;
  return Number.isInteger(count) ? count : 0;
}
