// Writes gen/*.bin from the tables of gpt-tokenizer, which is not needed at run time.
import { mkdirSync, writeFileSync } from "node:fs";
import { default as cl100k } from "gpt-tokenizer/bpeRanks/cl100k_base";
import { default as o200k } from "gpt-tokenizer/bpeRanks/o200k_base";
import { encodeVocabulary } from "../src/vocabulary.ts";

const folder = new URL("../gen/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, ranks] of Object.entries({ cl100k_base: cl100k, o200k_base: o200k })) {
  const tokens = ranks.map((token) => (typeof token === "string" ? Buffer.from(token) : Uint8Array.from(token)));
  writeFileSync(new URL(`${name}.bin`, folder), encodeVocabulary(tokens));
}
