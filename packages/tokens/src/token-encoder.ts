import type { Encoder } from "./token-count.ts";

/**
 * Words whose tokens the encoder remembers. They are parts of callers' texts and keep those in memory whole, so they are
 * few; the library's own number is 100,000.
 */
const rememberedWordsMax = 500;

let encoder: Promise<Encoder> | undefined;

/**
 * Tokens of a text in OpenAI's current encoding (o200k_base); an estimate for models that use another. Loading the
 * vocabulary takes a fifth of a second and 70 MB, so it happens with the first call and once in a thread.
 */
export function loadEncoder(): Promise<Encoder> {
  encoder ??= load();
  return encoder;
}

async function load(): Promise<Encoder> {
  const { countTokens, setMergeCacheSize } = await import("gpt-tokenizer/encoding/o200k_base");
  setMergeCacheSize(rememberedWordsMax);
  // Text that looks like a control token in a prompt is counted as text.
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => countTokens(text, asText);
}
