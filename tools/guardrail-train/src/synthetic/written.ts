import type { Example } from "../corpus.ts";
import { readWritten, readWrittenDocuments, readWrittenNotes } from "../fresh.ts";
import type { Random } from "../random.ts";
import { fill, pickOption } from "./grammar.ts";
import { indirectGrammar } from "./indirect.ts";

/** Sets of `written` whose lines have choices, by source. */
const openSets: Readonly<Record<string, readonly string[]>> = {
  "written-attack": ["attacks", "attacks-2", "attacks-3"],
  "written-benign": ["hard-negatives", "hard-negatives-2", "hard-negatives-3", "hard-negatives-4", "hard-negatives-7"],
  "written-tongue-attack": ["language-attacks", "language-attacks-2", "language-attacks-4"],
  "written-tongue-benign": ["language-harmless", "language-harmless-2", "language-harmless-4", "language-harmless-5"],
};
/** Sets whose lines are literal texts: braces and bars in them are code. */
const closedSets: Readonly<Record<string, readonly string[]>> = {
  "written-single-attack": ["attacks-4", "attacks-5"],
  "written-single-benign": ["hard-negatives-5", "hard-negatives-6"],
  "written-single-ordinary": ["ordinary"],
  "written-single-tongue-attack": ["language-attacks-3"],
  "written-single-tongue-benign": ["language-harmless-3"],
};
/** Sets of pairs that users type, an attack and a harmless request with the same words, by source. */
const pairSets = { written: ["pairs"], "written-tongue": ["pairs-languages", "pairs-languages-2"] } as const;
const documentSets = ["documents", "documents-2"];
/** Texts made of a line that has choices. */
const perLine = 8;
const perNote = 12;
/** Carriers for each note without choices, in addition to the bare note. */
const perSingleNote = 2;
const carriers = ["mailCarrier", "toolCarrier", "pageCarrier", "codeCarrier", "paperCarrier", "userCarrier"];

/** Texts written by hand, those with choices in several of their wordings, and notes inside documents in both variants. */
export function writtenExamples(random: Random): Example[] {
  const examples: Example[] = [];
  for (const [name, files] of Object.entries(openSets)) {
    const attack = name.endsWith("attack");
    for (const line of files.flatMap((file) => readWritten(file))) {
      for (const text of wordings(line.text, perLine, random))
        examples.push({ ...line, text, attack, source: `own-${name}` });
    }
  }
  for (const { attack, harmless } of ["notes-2", "notes-4"].flatMap(readWrittenNotes)) {
    for (const note of [attack, harmless]) {
      const source = sourceOfPair("written-note", note);
      for (const text of wordings(note.text, perNote, random)) {
        const inside = random.below(4) === 0 ? text : carried(text, random);
        examples.push({ ...note, source, text: inside });
      }
    }
  }
  return [...examples, ...pairs(random), ...singleTexts(), ...documents(random), ...singleNotes(random)];
}

function pairs(random: Random): Example[] {
  return Object.entries(pairSets).flatMap(([name, sets]) =>
    sets.flatMap(readWrittenNotes).flatMap(({ attack, harmless }) =>
      [attack, harmless].flatMap((line) =>
        [...wordings(line.text, perLine, random)].map((text) => ({
          ...line,
          text: greeted(text, random),
          source: sourceOfPair(name, line),
        })),
      ),
    ),
  );
}

const greetings = [
  "Hello",
  "Hi there,",
  "Hey!",
  "Good morning.",
  "Hi, quick one:",
  "Hello, I hope you are well.",
  "ok",
  "Thanks!",
];
/** One text in so many is greeted. */
const greetedEvery = 5;

/** The text, sometimes after a greeting, which must not affect its score. */
function greeted(text: string, random: Random): string {
  return random.below(greetedEvery) === 0 ? `${pickOption(greetings.join("|"), random)} ${text}` : text;
}

function singleTexts(): Example[] {
  return Object.entries(closedSets).flatMap(([name, files]) =>
    files
      .flatMap((file) => readWritten(file))
      .map((line) => ({ ...line, attack: name.endsWith("attack"), source: `own-${name}` })),
  );
}

/** Each document with its attack and with its counterpart, and both of these texts alone. */
function documents(random: Random): Example[] {
  const all = documentSets.flatMap((set) => readWrittenDocuments(set));
  return all.flatMap(({ attack, harmless, note }) => {
    const elsewhere = pickFrom(all, random);
    const moved = (text: string): string => `${elsewhere.before}${text}${elsewhere.after}`;
    return [
      { ...attack, source: sourceOfPair("written-document", attack) },
      { ...harmless, source: sourceOfPair("written-document", harmless) },
      { ...attack, text: note.attack, source: sourceOfPair("written-bare", attack) },
      { ...harmless, text: note.harmless, source: sourceOfPair("written-bare", harmless) },
      { ...attack, text: moved(note.attack), source: sourceOfPair("written-moved", attack) },
      { ...harmless, text: moved(note.harmless), source: sourceOfPair("written-moved", harmless) },
    ];
  });
}

/** Notes without choices: bare, in the documents written by hand, and in synthetic ones. */
function singleNotes(random: Random): Example[] {
  const hosts = documentSets.flatMap((set) => readWrittenDocuments(set));
  return readWrittenNotes("notes-3").flatMap(({ attack, harmless }) => {
    const host = pickFrom(hosts, random);
    return [attack, harmless].flatMap((note) => {
      const inside = Array.from({ length: perSingleNote }, () => carried(note.text, random));
      return [note.text, `${host.before}${note.text}${host.after}`, ...inside].map((text, index) => ({
        ...note,
        text,
        source: sourceOfPair(index === 0 ? "written-bare" : "written-moved", note),
      }));
    });
  });
}

function sourceOfPair(name: string, { attack }: Example): string {
  return `own-${name}-${attack ? "attack" : "benign"}`;
}

function pickFrom<T>(list: readonly T[], random: Random): T {
  const chosen = list[random.below(list.length)];
  if (chosen === undefined) throw new Error("nothing to pick from");
  return chosen;
}

/** Up to `count` different wordings of a text with choices. */
function wordings(text: string, count: number, random: Random): Set<string> {
  return new Set(Array.from({ length: isOpen(text) ? count : 1 }, () => choose(text, random)));
}

const choice = /\{([^{}]*\|[^{}]*)\}/gu;

function isOpen(text: string): boolean {
  return text.search(choice) >= 0;
}

/** Makes every choice. Bars in tokens such as `<|end|>` are not choices. */
function choose(text: string, random: Random): string {
  let chosen = text.replaceAll("<|", "<¦").replaceAll("|>", "¦>");
  for (let depth = 0; depth < 3; depth += 1)
    chosen = chosen.replaceAll(choice, (_, options: string) => pickOption(options, random));
  return chosen.replaceAll("¦", "|");
}

/** A note inside a mail, a page, a file or a tool's result. */
function carried(note: string, random: Random): string {
  const carrier = carriers[random.below(carriers.length)] ?? "";
  const [before = "", after = ""] = fill(`{${carrier}}`, indirectGrammar, random).split("{X}");
  return `${before}${note}${after}`;
}
