import { Pace } from "@gatehouse/pace";
import { type Embedding, fromBase64Vector } from "../forms/embeddings.ts";

/**
 * Vectors in the form that was asked for, which some servers ignore: base64 becomes numbers unless `inBase64`, where it gets the
 * padding that clients' decoders need. The list itself where all have it; undefined where a vector is empty, differs in length
 * from the first, or has anything but finite numbers. Works in slices, since there may be millions of numbers.
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
    const numbers = typeof embedding === "string" ? numbersOf(embedding) : embedding;
    dimensions ??= numbers.length;
    if (numbers.length === 0 || numbers.length !== dimensions) return undefined;
    if (!numbers.every(inBase64 ? isFiniteFloat : Number.isFinite)) return undefined;
    const vector = typeof embedding === "string" && inBase64 ? padded(embedding) : numbers;
    asked.push(vector === embedding ? item : { ...item, embedding: vector });
  }
  return asked.every((item, place) => item === data[place]) ? data : asked;
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The numbers of a base64 of 32-bit floats, padded or not; none where it is no such text. */
function numbersOf(text: string): readonly number[] {
  const isWhole = Buffer.byteLength(text, "base64") % Float32Array.BYTES_PER_ELEMENT === 0;
  return isWhole && base64.test(text) ? fromBase64Vector(text) : [];
}

function padded(text: string): string {
  return text.length % 4 === 0 ? text : Buffer.from(text, "base64").toString("base64");
}

/** Whether a number stays finite as a 32-bit float. */
function isFiniteFloat(value: number): boolean {
  return typeof value === "number" && Number.isFinite(Math.fround(value));
}
