import { type Comment, joinLines } from "./source.ts";
import type { TextFile } from "./tree.ts";

/** Marks that open a comment, by a file name's ending; after code, a blank precedes the mark. */
const marks: readonly (readonly [ending: RegExp, mark: RegExp])[] = [
  [/\.(?:proto|prisma)$/, /(?:^|\s)\/{2,3}(?=\s|$)/],
  [/\.ya?ml$/, /(?:^|\s)#(?=\s|$)/],
];
/** Quoted values, in which a mark is text. An apostrophe inside a word opens none. */
const quotedValue = /"(?:[^"\\]|\\.)*"|(?<![\w'])'[^']*'/g;

/** Comments of a contract, a database schema or a YAML file, with consecutive lines joined. Empty for other files. */
export function readLineComments({ path, text }: TextFile): Pick<TextFile, "path"> & { comments: readonly Comment[] } {
  const mark = marks.find(([ending]) => ending.test(path))?.[1];
  if (mark === undefined) return { path, comments: [] };
  const found = text.split("\n").flatMap((line, at) => {
    const code = line.replaceAll(quotedValue, (value) => " ".repeat(value.length));
    const match = mark.exec(code);
    if (match === null) return [];
    return [{ text: line.slice(match.index + match[0].length), line: at + 1, end: at + 1 }];
  });
  return { path, comments: joinLines(found) };
}
