export { createTextCounter, type TextCounter } from "./create-text-counter.ts";
export { type DecodeTokens, loadTokenDecoder } from "./decode-tokens.ts";
export { countTexts } from "./token-count.ts";
export { type CountScope, type CountTexts, textOf, TokenCounter } from "./token-counter.ts";
export { loadEncoder } from "./token-encoder.ts";
