import type { JsonObject } from "@gatehouse/json";
import type { FromWire } from "./completion.ts";

/**
 * OpenAI's embeddings objects, the only form of embeddings inside the gateway; untyped fields pass through unchanged. Source:
 * OpenAI API reference, "Embeddings".
 */
export interface Embedding {
  readonly index: number;
  /** The vector, as numbers or as the base64 of 32-bit floats, little-endian. */
  readonly embedding: readonly number[] | string;
  readonly [field: string]: unknown;
}

/** Token counts of a request for embeddings, as reported by the provider; there are no completion tokens. */
export interface EmbeddingsUsage {
  readonly prompt_tokens: number;
  readonly total_tokens: number;
}

/** Vectors of a request's texts, as returned by every adapter; other members are passed on. */
export interface Embeddings extends FromWire {
  readonly model: string;
  readonly data: readonly Embedding[];
  /** Absent where the provider reports none. */
  readonly usage?: EmbeddingsUsage;
  readonly [field: string]: unknown;
}

/** Request for embeddings in the form of adapters, which send `body`, or `texts` where the package writes the request. */
export interface EmbeddingsRequest {
  /** Texts to embed, in order; inputs given as tokens are decoded. */
  readonly texts: readonly string[];
  /** The body without its model: `input` and the parameters. */
  readonly body: JsonObject;
}

/** A vector as the base64 of 32-bit floats, little-endian, which OpenAI's clients ask for. */
export function toBase64Vector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT));
  return bytes.toString("base64");
}

/** The numbers of a vector from {@link toBase64Vector}. */
export function fromBase64Vector(text: string): readonly number[] {
  const bytes = Buffer.from(text, "base64");
  const length = Math.floor(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  return Array.from({ length }, (_, index) => bytes.readFloatLE(index * Float32Array.BYTES_PER_ELEMENT));
}
