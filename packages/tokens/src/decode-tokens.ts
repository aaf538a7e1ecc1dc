import { bytesOf, readVocabulary } from "./vocabulary.ts";

/** Text of tokens; undefined where a number is not a token. */
export type DecodeTokens = (tokens: readonly number[]) => string | undefined;

/** Control tokens of cl100k_base, which its list of merges lacks (tiktoken, `openai_public.py`). */
const controlTokens: ReadonlyMap<number, Uint8Array> = new Map(
  [
    [100_257, "<|endoftext|>"] as const,
    [100_258, "<|fim_prefix|>"] as const,
    [100_259, "<|fim_middle|>"] as const,
    [100_260, "<|fim_suffix|>"] as const,
    [100_276, "<|endofprompt|>"] as const,
  ].map(([token, text]) => [token, Buffer.from(text)]),
);

let decoder: DecodeTokens | undefined;

/**
 * Decodes cl100k_base, which OpenAI's embedding models use. Its vocabulary is read once, on first use. A character may be split
 * between tokens, so their bytes are joined before decoding; linear.
 */
export function loadTokenDecoder(): DecodeTokens {
  if (decoder === undefined) {
    const vocabulary = readVocabulary("cl100k_base");
    decoder = (tokens) => {
      const parts: Uint8Array[] = [];
      for (const token of tokens) {
        const part = bytesOf(vocabulary, token) ?? controlTokens.get(token);
        if (part === undefined) return undefined;
        parts.push(part);
      }
      return Buffer.concat(parts).toString("utf8");
    };
  }
  return decoder;
}
