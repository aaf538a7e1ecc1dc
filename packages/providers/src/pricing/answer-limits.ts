import type { PricedTarget } from "./price-book.ts";

/** Data of OpenAI's models by name, from the tokenizer's package; some have `max_output_tokens`. */
export type ModelData = Readonly<Record<string, object>>;

/** Longest answers of other makers' models, in tokens; the first match counts. Sources: their model overviews. */
const families: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/claude-(?:opus-4-[678]|sonnet-4-6|(?:opus|sonnet|haiku|fable)-5)/, 128_000],
  [/claude-(?:opus|sonnet|haiku)-4-5/, 64_000],
  [/claude-opus-4/, 32_000],
  [/claude-(?:sonnet-4|3-7-sonnet)/, 64_000],
  [/claude-3-5/, 8_192],
  [/claude-3/, 4_096],
  [/gemini-(?:2\.5|[3-9])/, 65_535],
  [/gemini-(?:1\.5|2\.0)/, 8_192],
  [/deepseek-reasoner/, 65_536],
  [/deepseek-chat/, 8_192],
];

/** The longest answer that a model gives, in tokens; undefined where unknown. A maker's name before the model's is ignored. */
export function findAnswerTokensMax({ model }: Pick<PricedTarget, "model">, data: ModelData): number | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const known = Object.hasOwn(data, name) ? data[name] : undefined;
  if (known !== undefined && "max_output_tokens" in known && typeof known.max_output_tokens === "number") {
    return known.max_output_tokens;
  }
  return families.find(([pattern]) => pattern.test(name))?.[1];
}
