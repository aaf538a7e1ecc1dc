import { readdirSync, readFileSync } from "node:fs";
import { corpusFiles, type Example, readExamples, readRows } from "../corpus.ts";
import { hostileTexts } from "../evaluate/hostile.ts";
import { longTexts, markupTexts } from "../evaluate/long-texts.ts";
import { disguises } from "../evaluate/obfuscate.ts";
import { createRandom } from "../random.ts";

const disguisedEach = 24;
const markupCount = 200;
const longBytes = 40_000;
const hostileBytes = 20_000;
const mixedCount = 3_000;
const mixedPiecesMax = 24;
const seed = 71_003;

/** Texts that two builds must judge alike: the corpus, the repository's own, disguised, long, hostile, and randomly combined. */
export function comparedTexts(folder: string): string[] {
  const corpus = [...corpusFiles, "indirect"].flatMap((file) => readExamples(folder, file));
  const texts = corpus.map(({ text }) => text);
  for (const row of readRows(folder, "pii_sentences")) texts.push(String(Object(row).text));
  texts.push(...ownTexts());
  const written = texts.length;
  for (const disguise of Object.values(disguises))
    for (const text of spread(corpus, disguisedEach)) texts.push(disguise(text.slice(0, 1_200)));
  texts.push(...markupTexts(markupCount), ...longTexts(longBytes), ...hostileTexts(hostileBytes).values());
  texts.push(...mixed(texts.slice(0, written)));
  return texts;
}

function ownTexts(): string[] {
  const folder = new URL("../../eval/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  return names.flatMap((name) => readFileSync(new URL(name, folder), "utf8").split("\n"));
}

/** Alternating attacks and harmless texts, spread over the corpus. */
function spread(corpus: readonly Example[], count: number): string[] {
  const step = Math.max(1, Math.floor(corpus.length / count));
  return Array.from({ length: count }, (_, index) => corpus[index * step]?.text ?? "");
}

/** Random pieces of texts joined together, so that values stand at ends and beside foreign characters. */
function mixed(from: readonly string[]): string[] {
  const random = createRandom(seed);
  const numberBelow = (limit: number): number => random.below(limit);
  return Array.from({ length: mixedCount }, () => {
    let text = "";
    for (let pieces = 1 + numberBelow(mixedPiecesMax); pieces > 0; pieces -= 1) {
      const source = from[numberBelow(from.length)] ?? "";
      const start = numberBelow(source.length);
      text += source.slice(start, start + 1 + numberBelow(60));
    }
    return text;
  });
}
