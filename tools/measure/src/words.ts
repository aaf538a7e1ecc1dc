import { type Comment, isTest, type Source } from "./source.ts";
import type { TextFile } from "./tree.ts";

/** Words in comments that replace a noun; the noun serves a reader better. */
const words: Readonly<Record<string, RegExp>> = {
  "opens with What": /^What\b/,
  "opens with How": /^How\b/,
  "opens with Of": /^Of\b/,
  "opens with And": /^And\b/,
  "opens with The same": /^The same\b/,
  "opens with Those": /^Those\b/,
  "opens with Also": /^Also\b/,
  whoever: /\bwho(?:m)?ever\b/i,
  nobody: /\bnobody\b/i,
  somebody: /\b(?:somebody|someone)\b/i,
  anew: /\banew\b/i,
  told: /\btold\b/i,
  "of its own": /\bof (?:its|their|his|one's) own\b/i,
  mend: /\bmend(?:s|ed|ing)?\b/i,
  "in vain": /\bin vain\b/i,
  "whose word": /\bwhose word\b/i,
  "worth a word": /\bworth a word\b/i,
  "it is looked": /\bit is looked\b/i,
  "that is none": /\b(?:that|which) (?:is|are) none\b/i,
  "who tells": /\bwho tells\b/i,
  "for want of": /\bfor want of\b/i,
  "to be had": /\bto be had\b/i,
  believed: /\b(?:is|are|not) believed\b/i,
  "came to nothing": /\bc[oa]me(?:s)? to nothing\b/i,
  "next to nothing": /\bnext to nothing\b/i,
  "has a say": /\b(?:has|have) a say\b/i,
  "for good": /\bfor good\b/i,
  "all the same": /\ball the same\b/i,
  "let go of": /\blet(?:s)? go (?:of|over)\b/i,
  dear: /\bdear(?:er|est)?\b/i,
  "speaks for": /\bspeaks? for\b/i,
  "tells of": /\btells? of\b/i,
  "what becomes of": /\bwhat (?:became|becomes|has become) of\b/i,
  "what is known of": /\bwhat (?:is|was) known of\b/i,
  yardstick: /\byardsticks?\b/i,
  "a document that is not here": /\bdecisions[:,] "|\binterface specification\b/i,
};

/** Words that pages must not have either. */
const pageWords = ["whoever", "nobody", "anew", "told", "tells of", "of its own", "mend"] as const;
/** Words that the product's texts must not have: messages, descriptions, pages of the console. */
const textWords = [
  ...pageWords,
  "in vain",
  "whose word",
  "that is none",
  "for want of",
  "to be had",
  "believed",
  "for good",
  "all the same",
  "what becomes of",
  "what is known of",
] as const;
/**
 * Files whose texts are data: words of attacks and of names, which the guardrails look for; SQL of released migrations; the words
 * of this list.
 */
const dataFile =
  /^(?:services\/guardrail\/src\/domain\/|tools\/guardrail-train\/|tools\/measure\/|packages\/audit\/src\/outbox-migrations.ts)/;
/** Code, and a single word in italics, which is quoted, is not prose. */
const quoted = /`[^`]*`|\*\w+\*/g;

interface WordUse extends Comment {
  readonly path: string;
  readonly word: string;
}

/** Comments with words to avoid, one use for each word. */
export function findWords({ path, comments }: Pick<Source, "path" | "comments">): readonly WordUse[] {
  return comments.flatMap((comment) =>
    Object.entries(words).flatMap(([word, pattern]) =>
      pattern.test(comment.text) ? [{ ...comment, path, word }] : [],
    ),
  );
}

/** Texts of the product with words to avoid: string literals with a blank in them, except in tests and data. */
export function findWordsOfTexts({ path, texts }: Pick<Source, "path" | "texts">): readonly WordUse[] {
  if (isTest(path) || dataFile.test(path)) return [];
  return texts.flatMap((text) =>
    textWords.filter((word) => words[word]?.test(text.text)).map((word) => ({ ...text, path, word })),
  );
}

/** Lines of a documentation page with words to avoid, outside of code; one use for each word. */
export function findWordsOfPage({ path, text }: TextFile): readonly WordUse[] {
  let isCode = false;
  return text.split("\n").flatMap((given, at) => {
    if (/^\s*```/.test(given)) isCode = !isCode;
    const prose = isCode ? "" : given.replaceAll(quoted, "");
    return pageWords
      .filter((word) => words[word]?.test(prose))
      .map((word) => ({ path, word, text: given, line: at + 1 }));
  });
}

/** Folder that a file counts for: a workspace, or the first folder. */
export function folderOf(path: string): string {
  const [first = "", second = "", ...rest] = path.split("/");
  return rest.length === 0 ? first : `${first}/${second}`;
}

/** Counts by folder, in the folders' order. */
export function countByFolder(uses: readonly { readonly path: string }[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { path } of uses) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

interface Verdict {
  readonly over: readonly string[];
  /** New allowed numbers: the present ones where they are lower. */
  readonly lowered: Readonly<Record<string, number>>;
}

/** Stands for all unlisted folders together. */
export const otherFolders = "*";

/** Compares counts by folder with the allowed ones. The check fails where `over` is not empty. */
export function judgeWords(
  found: Readonly<Record<string, number>>,
  allowed: Readonly<Record<string, number>>,
): Verdict {
  const others = Object.keys(found).filter((folder) => !Object.hasOwn(allowed, folder));
  const present: Readonly<Record<string, number>> = {
    ...found,
    [otherFolders]: others.reduce((sum, folder) => sum + (found[folder] ?? 0), 0),
  };
  const isOver = (folder: string) => (present[folder] ?? 0) > (allowed[folder] ?? 0);
  const lowered = Object.entries(allowed).map(([folder, most]) => [folder, Math.min(most, present[folder] ?? 0)]);
  return {
    over: [...Object.keys(allowed).filter(isOver), ...(isOver(otherFolders) ? others : [])].filter(
      (folder) => folder !== otherFolders,
    ),
    lowered: Object.fromEntries(lowered),
  };
}
