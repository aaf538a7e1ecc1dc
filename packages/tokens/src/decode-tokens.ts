/** The text of tokens; undefined where a number is no token. */
export type DecodeTokens = (tokens: readonly number[]) => string | undefined;

/** Control tokens of cl100k_base, which its list of merges does not hold (tiktoken, `openai_public.py`). */
const controlTokens: ReadonlyMap<number, string> = new Map([
  [100_257, "<|endoftext|>"],
  [100_258, "<|fim_prefix|>"],
  [100_259, "<|fim_middle|>"],
  [100_260, "<|fim_suffix|>"],
  [100_276, "<|endofprompt|>"],
]);

let decoder: Promise<DecodeTokens> | undefined;

/** Decodes cl100k_base, which OpenAI's embedding models use. Its vocabulary is loaded with the first call, and once. */
export function loadTokenDecoder(): Promise<DecodeTokens> {
  decoder ??= load();
  return decoder;
}

/** A character may be parted among tokens, so their bytes are joined before they are read as text; linear. */
async function load(): Promise<DecodeTokens> {
  const { default: ranks } = await import("gpt-tokenizer/bpeRanks/cl100k_base");
  return (tokens) => {
    const parts: Uint8Array[] = [];
    for (const token of tokens) {
      const part = ranks[token] ?? controlTokens.get(token);
      if (part === undefined) return undefined;
      parts.push(typeof part === "string" ? Buffer.from(part) : Buffer.from(part));
    }
    return Buffer.concat(parts).toString("utf8");
  };
}
