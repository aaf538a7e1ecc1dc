import type { EmbeddingModelV4, EmbeddingModelV4CallOptions, EmbeddingModelV4Result } from "@ai-sdk/provider";
import type { Embeddings, EmbeddingsRequest } from "../forms/embeddings.ts";
import { isTokenCount } from "../forms/token-count.ts";
import type { ProviderModel } from "./provider-model.ts";

/** Texts of one call; a package parses their vectors, of up to 4,096 numbers each, in one go (`read-whole-reply.ts`). */
const textsPerCallMax = 64;

/** Embeds all texts of a request, in as few calls as the model and {@link textsPerCallMax} permit, one after another. */
export async function embedTexts(
  model: EmbeddingModelV4,
  { texts, body }: EmbeddingsRequest,
  toOptions: ProviderModel["toEmbeddingOptions"],
): Promise<readonly EmbeddingModelV4Result[]> {
  const asked = body["dimensions"];
  const options = typeof asked === "number" ? toDimensions(asked, model.modelId, toOptions) : {};
  const perCallMax = Math.min((await model.maxEmbeddingsPerCall) ?? textsPerCallMax, textsPerCallMax);
  const results: EmbeddingModelV4Result[] = [];
  for (let start = 0; start < texts.length; start += perCallMax) {
    results.push(await model.doEmbed({ values: texts.slice(start, start + perCallMax), ...options }));
  }
  return results;
}

type DimensionOptions = Pick<EmbeddingModelV4CallOptions, "dimensions" | "providerOptions">;

function toDimensions(
  dimensions: number,
  model: string,
  toOptions: ProviderModel["toEmbeddingOptions"],
): DimensionOptions {
  return toOptions === undefined ? { dimensions } : { providerOptions: toOptions(dimensions, model) };
}

/** Joins results of {@link embedTexts} to one object, in the order of the texts; without usage where one result lacks it. */
export function toEmbeddings(results: readonly EmbeddingModelV4Result[], model: string): Embeddings {
  const vectors = results.flatMap(({ embeddings }) => embeddings);
  const counts = results.map(({ usage }) => usage?.tokens);
  const tokens = counts.reduce(addCounts, 0);
  return {
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    model,
    ...(isTokenCount(tokens) ? { usage: { prompt_tokens: tokens, total_tokens: tokens } } : {}),
  };
}

function addCounts(sum: number | undefined, count: number | undefined): number | undefined {
  return sum === undefined || count === undefined ? undefined : sum + count;
}
