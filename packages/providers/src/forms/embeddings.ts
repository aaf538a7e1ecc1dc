import type { JsonObject } from "@gatehouse/json";
import type { FromWire } from "./completion.ts";

/**
 * OpenAI's embeddings objects, the one form that embeddings have inside the gateway; every field that is not typed passes
 * through untouched. Source: OpenAI API reference, "Embeddings".
 */
export interface Embedding {
  /** Index of the text it belongs to. */
  readonly index: number;
  /** The vector, as numbers or as the base64 of 32-bit floats, little-endian. */
  readonly embedding: readonly number[] | string;
  readonly [field: string]: unknown;
}

/** Token counts of a request for embeddings, as a provider reports them. */
export interface EmbeddingsUsage {
  readonly prompt_tokens: number;
  readonly total_tokens: number;
}

/** An answer in the form of OpenAI's embeddings; unknown members are kept. */
export interface Embeddings extends FromWire {
  readonly model: string;
  readonly data: readonly Embedding[];
  /** Absent where the provider reports none. */
  readonly usage?: EmbeddingsUsage;
  readonly [field: string]: unknown;
}

/** A request for embeddings after its tokens were decoded. */
export interface EmbeddingsRequest {
  /** Texts to embed, in order; tokens are decoded. */
  readonly texts: readonly string[];
  /** The body without its model: `input`, and the parameters. */
  readonly body: JsonObject;
}

/** A vector as the base64 of 32-bit floats, little-endian, as OpenAI's own clients ask for it. */
export function toBase64Vector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT));
  return bytes.toString("base64");
}
