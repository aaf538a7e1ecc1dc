import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Example } from "./corpus.ts";

/** The repository's own texts for measuring. Nothing is ever learnt from them. */
export const freshSets = ["attacks", "hard-negatives", "everyday"] as const;
export type FreshSet = (typeof freshSets)[number];

/** One text for measuring, with the role that it arrives in. */
export interface FreshText extends Example {
  readonly role: string;
}

const heading = /^== (?<source>\S+) (?<role>user|tool)$/u;

/** Reads a set from `eval/`: the first line says what it is, headings name class and role, each other line is a text. */
export function readFresh(set: string): FreshText[] {
  const lines = readFileSync(fileURLToPath(new URL(`../eval/${set}.txt`, import.meta.url)), "utf8").split("\n");
  const texts: FreshText[] = [];
  let [source, role] = ["", "user"];
  for (const [index, line] of lines.entries()) {
    const groups = heading.exec(line)?.groups;
    if (groups !== undefined) [source, role] = [groups["source"] ?? "", groups["role"] ?? ""];
    if (groups !== undefined || index === 0 || line === "") continue;
    const text = line.replaceAll("\\n", "\n").replaceAll("\\u200b", "\u200b");
    const attack = set.includes("attacks");
    texts.push({ text, attack, source, role, group: set, cluster: `fresh-${set}-${index}`, lang: source });
  }
  return texts;
}
