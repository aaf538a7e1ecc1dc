import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Example } from "./corpus.ts";

/** A text written by hand, with its role. */
export interface FreshText extends Example {
  readonly role: string;
}

/** Outside authors who each wrote a set after the first, without seeing the detector or another set: `eval/<author>-….txt`. */
export const laterAuthors = ["second", "third", "fourth", "fifth", "sixth", "seventh"] as const;
export type LaterAuthor = (typeof laterAuthors)[number];

const heading = /^== (?<source>\S+) (?<role>user|tool)$/u;
/** Marks the attack in a tool's text, and its harmless replacement. */
const twins = /\{\{(?<attack>.*?)##(?<harmless>.*)\}\}/u;

/** Reads an evaluation set from `eval/`, which is never trained on. */
export function readFresh(set: string): FreshText[] {
  return readTexts(new URL(`../eval/${set}.txt`, import.meta.url), set, "attack");
}

/** The tools' texts of `eval/attacks.txt`, each with its attack replaced by harmless words. */
export function readFreshTwins(): FreshText[] {
  const texts = readTexts(new URL("../eval/attacks.txt", import.meta.url), "attacks", "harmless");
  return texts.filter(({ role }) => role === "tool").map((text) => ({ ...text, attack: false, group: "twins" }));
}

/** Reads a training set from `written/`. */
export function readWritten(set: string): FreshText[] {
  return readTexts(writtenFile(set), set, "attack");
}

/** A training text with its harmless counterpart. */
interface WrittenPair {
  readonly attack: FreshText;
  readonly harmless: FreshText;
}

/** Notes from `written/`: each for a model, and for people. */
export function readWrittenNotes(set: string): WrittenPair[] {
  return readTexts(writtenFile(set), set, "attack").map((line) => {
    const [bad = "", good = ""] = line.text.split("##");
    return { attack: { ...line, text: bad, attack: true }, harmless: { ...line, text: good, attack: false } };
  });
}

/** A document of `written/`, whole in both variants, and its parts. */
interface WrittenDocument extends WrittenPair {
  readonly before: string;
  readonly after: string;
  readonly note: { readonly attack: string; readonly harmless: string };
}

/** Documents from `written/`, each with its attack and with the harmless replacement. */
export function readWrittenDocuments(set: string): WrittenDocument[] {
  return readTexts(writtenFile(set), set, "both").map((line) => {
    const [, before = "", bad = "", good = "", after = ""] = documentParts.exec(line.text) ?? [];
    const withNote = (note: string, attack: boolean): FreshText => ({
      ...line,
      text: `${before}${note}${after}`,
      attack,
    });
    return {
      attack: withNote(bad, true),
      harmless: withNote(good, false),
      before,
      after,
      note: { attack: bad, harmless: good },
    };
  });
}

const documentParts = /^(.*?)\{\{(.*?)##(.*)\}\}(.*)$/su;

function writtenFile(set: string): URL {
  return new URL(`written/${set}.txt`, import.meta.url);
}

/** The first line describes the file, headings name class and role, each other line is a text. */
function readTexts(file: URL, set: string, side: "attack" | "harmless" | "both"): FreshText[] {
  const lines = readFileSync(fileURLToPath(file), "utf8").split("\n");
  const texts: FreshText[] = [];
  let [source, role] = ["", "user"];
  for (const [index, line] of lines.entries()) {
    const groups = heading.exec(line)?.groups;
    if (groups !== undefined) [source, role] = [groups["source"] ?? "", groups["role"] ?? ""];
    if (groups !== undefined || index === 0 || line === "") continue;
    const chosen =
      role === "tool" && side !== "both"
        ? line.replace(twins, (...found) => String((found.at(-1) as Record<string, string>)[side]))
        : line;
    const text = chosen.replaceAll("\\n", "\n").replaceAll("\\u200b", "\u200b");
    const attack = set.includes("attacks");
    texts.push({ text, attack, source, role, group: set, cluster: `fresh-${set}-${index}`, lang: source });
  }
  return texts;
}
