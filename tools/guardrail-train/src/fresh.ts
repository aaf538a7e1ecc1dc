import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Example } from "./corpus.ts";

/** One text written by hand, with the role that it arrives in. */
export interface FreshText extends Example {
  readonly role: string;
}

/** Strangers who wrote a set each after the first, without sight of the detector or of any other set: `eval/<stranger>-….txt`. */
export const laterStrangers = ["second", "third"] as const;
export type LaterStranger = (typeof laterStrangers)[number];

const heading = /^== (?<source>\S+) (?<role>user|tool)$/u;
/** In what tools bring, the attack and the harmless words that could stand in its place. */
const twins = /\{\{(?<attack>.*?)##(?<harmless>.*)\}\}/u;

/** Reads a set for measuring from `eval/`. Nothing is ever learnt from these. */
export function readFresh(set: string): FreshText[] {
  return readTexts(new URL(`../eval/${set}.txt`, import.meta.url), set, "attack");
}

/** The texts that tools bring in `eval/attacks.txt`, each with harmless words in place of its attack. */
export function readFreshTwins(): FreshText[] {
  const texts = readTexts(new URL("../eval/attacks.txt", import.meta.url), "attacks", "harmless");
  return texts.filter(({ role }) => role === "tool").map((text) => ({ ...text, attack: false, group: "twins" }));
}

/** Reads a set that is learnt from, from `written/`. */
export function readWritten(set: string): FreshText[] {
  return readTexts(new URL(`written/${set}.txt`, import.meta.url), set, "attack");
}

/** Notes inside documents, from `written/`: each to a model, and to people. */
export function readWrittenNotes(): FreshText[] {
  const file = new URL("written/notes-2.txt", import.meta.url);
  return readTexts(file, "notes", "attack").flatMap((line) => {
    const [bad = "", good = ""] = line.text.split("##");
    return [
      { ...line, text: bad, attack: true, source: "own-written-note-attack" },
      { ...line, text: good, attack: false, source: "own-written-note-benign" },
    ];
  });
}

/** The first line says what the file is, headings name class and role, each other line is a text. */
function readTexts(file: URL, set: string, side: "attack" | "harmless"): FreshText[] {
  const lines = readFileSync(fileURLToPath(file), "utf8").split("\n");
  const texts: FreshText[] = [];
  let [source, role] = ["", "user"];
  for (const [index, line] of lines.entries()) {
    const groups = heading.exec(line)?.groups;
    if (groups !== undefined) [source, role] = [groups["source"] ?? "", groups["role"] ?? ""];
    if (groups !== undefined || index === 0 || line === "") continue;
    const chosen =
      role === "tool"
        ? line.replace(twins, (...found) => String((found.at(-1) as Record<string, string>)[side]))
        : line;
    const text = chosen.replaceAll("\\n", "\n").replaceAll("\\u200b", "\u200b");
    const attack = set.includes("attacks");
    texts.push({ text, attack, source, role, group: set, cluster: `fresh-${set}-${index}`, lang: source });
  }
  return texts;
}
