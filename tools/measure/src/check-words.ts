import { readFileSync, writeFileSync } from "node:fs";
import { readLineComments } from "./line-comments.ts";
import { isScript, isTypeScript, readSource } from "./source.ts";
import { readTree } from "./tree.ts";
import {
  countByFolder,
  findWords,
  findWordsOfPage,
  findWordsOfTexts,
  folderOf,
  judgeWords,
  otherFolders,
} from "./words.ts";

const allowedFile = new URL("../words.json", import.meta.url);

const tree = readTree(undefined);
const sources = tree.filter((file) => isTypeScript(file) || isScript(file)).map(readSource);
const uses = [
  ...sources.flatMap(findWords),
  ...sources.flatMap(findWordsOfTexts),
  ...tree.map(readLineComments).flatMap(findWords),
  ...tree.filter(({ path }) => path.endsWith(".md")).flatMap(findWordsOfPage),
];
const allowed = JSON.parse(readFileSync(allowedFile, "utf8")) as Readonly<Record<string, number>>;
const found = countByFolder(uses);
const { over, lowered } = judgeWords(found, allowed);

for (const { path, line, word } of uses.filter((use) => over.includes(folderOf(use.path)))) {
  console.log(`${path}:${line}  ${word}`);
}
for (const folder of over) {
  const most = allowed[folder] ?? `together with other unlisted folders ${allowed[otherFolders] ?? 0}`;
  console.log(
    `${folder}: ${found[folder] ?? 0} comments, texts and lines of pages with words to avoid; allowed: ${most}.`,
  );
}
if (over.length > 0) console.log("Write the noun first, then the constraint (CONTRIBUTING.md, Comments).");
if (process.argv.includes("--lower")) writeFileSync(allowedFile, `${JSON.stringify(lowered, undefined, 2)}\n`);
process.exitCode = over.length === 0 ? 0 : 1;
