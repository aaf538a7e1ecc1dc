import { type Example, foldOf } from "./corpus.ts";
import { createRandom } from "./random.ts";

/** Sources of harmless English prose that attacks are hidden in. */
const hostSources = new Set(["wildguard-benign", "self-instruct", "bipia-email", "bipia-table", "xquad-context"]);

/** Harmless English texts by fold, so that a model never meets a host that it was trained on. */
export function hostsByFold(corpus: readonly Example[]): Map<number, string[]> {
  const pools = new Map<number, string[]>();
  for (const example of corpus) {
    if (example.attack || !hostSources.has(example.source) || (example.lang !== "" && example.lang !== "en")) continue;
    const fold = foldOf(example.cluster);
    pools.set(fold, [...(pools.get(fold) ?? []), example.text]);
  }
  return pools;
}

/** Prose of `size` characters from a pool; the same seed gives the same text. */
export function hostText(pool: readonly string[], size: number, seed: number): string {
  const random = createRandom(seed * 7 + size);
  let text = "";
  while (text.length < size && pool.length > 0) text += `${pool[random.below(pool.length)] ?? ""}\n`;
  return text.slice(0, size);
}

/** Inserts a text into the middle of another, between two words. */
export function insertInto(host: string, text: string): string {
  const middle = host.indexOf(" ", Math.floor(host.length / 2));
  return middle < 0 ? `${host}${text}` : `${host.slice(0, middle)} ${text} ${host.slice(middle)}`;
}
