import type { Example } from "../corpus.ts";
import { readWritten, readWrittenNotes } from "../fresh.ts";
import type { Random } from "../random.ts";
import { fill, pickOption } from "./grammar.ts";
import { indirectGrammar } from "./indirect.ts";

/** Sets of `written`, by what they are learnt as. */
const sets: Readonly<Record<string, readonly string[]>> = {
  "written-attack": ["attacks", "attacks-2", "attacks-3"],
  "written-benign": ["hard-negatives", "hard-negatives-2", "hard-negatives-3", "hard-negatives-4"],
  "written-tongue-attack": ["language-attacks", "language-attacks-2"],
  "written-tongue-benign": ["language-harmless", "language-harmless-2"],
};
/** Texts made of a line that has choices. */
const perLine = 8;
const perNote = 12;
const carriers = ["mailCarrier", "toolCarrier", "pageCarrier", "codeCarrier", "paperCarrier", "userCarrier"];

/** Texts written by hand, each line in several of its wordings, and notes inside documents in both kinds. */
export function writtenExamples(random: Random): Example[] {
  const examples: Example[] = [];
  for (const [name, files] of Object.entries(sets)) {
    const attack = name.endsWith("attack");
    for (const line of files.flatMap((file) => readWritten(file))) {
      for (const text of wordings(line.text, perLine, random))
        examples.push({ ...line, text, attack, source: `own-${name}` });
    }
  }
  for (const note of readWrittenNotes()) {
    for (const text of wordings(note.text, perNote, random)) {
      const inside = random.below(4) === 0 ? text : carried(text, random);
      examples.push({ ...note, text: inside });
    }
  }
  return examples;
}

/** The text with its choices made in up to `count` different ways. */
function wordings(text: string, count: number, random: Random): Set<string> {
  return new Set(Array.from({ length: isOpen(text) ? count : 1 }, () => choose(text, random)));
}

const choice = /\{([^{}]*\|[^{}]*)\}/gu;

function isOpen(text: string): boolean {
  return text.search(choice) >= 0;
}

/** Makes every choice. Bars in tokens such as `<|end|>` are no choices. */
function choose(text: string, random: Random): string {
  let chosen = text.replaceAll("<|", "<¦").replaceAll("|>", "¦>");
  for (let depth = 0; depth < 3; depth += 1)
    chosen = chosen.replaceAll(choice, (_, options: string) => pickOption(options, random));
  return chosen.replaceAll("¦", "|");
}

/** A note inside a mail, a page, a file or the result of a tool. */
function carried(note: string, random: Random): string {
  const carrier = carriers[random.below(carriers.length)] ?? "";
  const [before = "", after = ""] = fill(`{${carrier}}`, indirectGrammar, random).split("{X}");
  return `${before}${note}${after}`;
}
