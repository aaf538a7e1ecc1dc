import type { Random } from "../random.ts";
import { madeUpWord, noun, sentence } from "./filler.ts";

type Maker = (random: Random) => string;

const pick = <Item>(items: readonly Item[], random: Random): Item => {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
};
const times = (count: number, make: () => string): string[] => Array.from({ length: count }, make);
const number = (random: Random): string => String(random.below(10 ** (1 + random.below(5))));
const hex = (random: Random, length: number): string => times(length, () => random.below(16).toString(16)).join("");
const words = (random: Random, count: number): string => times(count, () => noun(random)).join(" ");
const camel = (random: Random): string =>
  `${noun(random)}${noun(random).replace(/^./u, (letter) => letter.toUpperCase())}`;
const snake = (random: Random): string => `${noun(random)}_${noun(random)}`;

const cell: Maker = (random) => pick([number, noun, madeUpWord, (r: Random) => words(r, 2)], random)(random);
const tableRow = (random: Random, tag: string): string =>
  `<tr>${times(2 + random.below(4), () => `<${tag}>${cell(random)}</${tag}>`).join("")}</tr>`;
const htmlTable: Maker = (random) =>
  `<table${pick(["", ' class="wide"', ' border="1"'], random)}>${tableRow(random, "th")}${times(3 + random.below(20), () => tableRow(random, "td")).join(pick(["", "\n"], random))}</table>`;
const bareTable: Maker = (random) =>
  times(5 + random.below(40), () => `<tr><td>${random.below(3) === 0 ? "" : cell(random)}</td></tr>`).join("");
const htmlList: Maker = (random) =>
  `<ul>${times(4 + random.below(30), () => `<li>${cell(random)}</li>`).join("")}</ul>`;
const htmlPage: Maker = (random) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${words(random, 2)}</title><link rel="stylesheet" href="/${madeUpWord(random)}.css"></head><body><nav>${times(4, () => `<a href="/${noun(random)}">${noun(random)}</a>`).join("")}</nav><h1>${words(random, 3)}</h1>${times(2 + random.below(5), () => `<p>${sentence(random)} ${sentence(random)}</p>`).join("\n")}<footer>${sentence(random)}</footer></body></html>`;
const csv: Maker = (random) => {
  const columns = 3 + random.below(4);
  return times(6 + random.below(30), () => times(columns, () => cell(random)).join(",")).join("\n");
};
const json: Maker = (random) =>
  JSON.stringify(
    times(2 + random.below(8), () => noun(random)).map((name) => ({
      id: random.below(1e6),
      [snake(random)]: name,
      [camel(random)]: random.below(2) === 0,
      items: times(random.below(4), () => noun(random)),
      [noun(random)]: { [noun(random)]: number(random), text: sentence(random) },
    })),
    undefined,
    pick([0, 2], random),
  );
const yaml: Maker = (random) =>
  times(4 + random.below(12), () => `${snake(random)}: ${cell(random)}\n  - ${noun(random)}: ${number(random)}`).join(
    "\n",
  );
const lockFile: Maker = (random) =>
  times(
    4 + random.below(12),
    () =>
      `  /${madeUpWord(random)}@${random.below(9)}.${number(random)}:\n    resolution: {integrity: sha512-${Buffer.from(hex(random, 64)).toString("base64")}}\n    engines: {node: '>=${random.below(20)}'}`,
  ).join("\n");
const hexDump: Maker = (random) =>
  times(4 + random.below(20), () => `${hex(random, 8)}  ${times(16, () => hex(random, 2)).join(" ")}`).join("\n");
const sequence: Maker = (random) => times(100 + random.below(900), () => pick(["A", "C", "G", "T"], random)).join("");
const hashes: Maker = (random) =>
  times(3 + random.below(20), () => `${hex(random, 40)}  ${snake(random)}.txt`).join("\n");
const uuids: Maker = (random) =>
  times(
    3 + random.below(15),
    () => `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`,
  ).join("\n");
const log: Maker = (random) =>
  times(
    4 + random.below(20),
    () =>
      `2026-0${1 + random.below(9)}-1${random.below(9)}T1${random.below(9)}:0${random.below(9)}:12Z ${pick(["INFO", "WARN", "ERROR", "DEBUG"], random)} [${camel(random)}] ${pick(["user admin", "system", "policy", "request", "session", "rule", "prompt", "cache"], random)} ${snake(random)}=${cell(random)} ${pick(["ignored", "overridden", "reset", "denied", "printed", "skipped", "loaded", "failed", "ok"], random)}`,
  ).join("\n");
const stackTrace: Maker = (random) =>
  `${pick(["TypeError", "ValueError", "NullPointerException", "AssertionError"], random)}: ${sentence(random)}\n${times(4 + random.below(10), () => `    at ${camel(random)}.${camel(random)} (/${noun(random)}/${madeUpWord(random)}.js:${number(random)}:${number(random)})`).join("\n")}`;
const codeLines: readonly ((random: Random) => string)[] = [
  (r) => `const ${camel(r)} = ${camel(r)}(${camel(r)}, ${number(r)});`,
  (r) => `if (${camel(r)} === '${noun(r)}') { return ${camel(r)}; }`,
  (r) => `  for (let i = 0; i < ${camel(r)}.length; i += 1) ${camel(r)}.push(${camel(r)}[i]);`,
  (r) => `def ${snake(r)}(self, ${snake(r)}, ${noun(r)}=None):`,
  (r) => `    """${sentence(r)}"""`,
  (r) => `    return self.${snake(r)}.get("${noun(r)}", ${number(r)})`,
  (r) => `public static void ${camel(r)}(String ${noun(r)}) throws IOException {`,
  (r) => `// ${sentence(r)}`,
  (r) => `# ${sentence(r)}`,
  (r) => `/* ${words(r, 4)} */`,
  (r) => `fn ${snake(r)}(${noun(r)}: &str) -> Result<u32, Error> {`,
  (r) => `func (s *${camel(r)}) ${camel(r)}(ctx context.Context) error {`,
  (r) => `SELECT ${snake(r)}, ${snake(r)} FROM ${noun(r)} WHERE ${snake(r)} = '${noun(r)}' ORDER BY ${noun(r)};`,
  (r) => `import { ${camel(r)} } from "./${noun(r)}-${noun(r)}.js";`,
  (r) => `#include <${noun(r)}.h>`,
  (r) => `static int ${snake(r)}(struct ${noun(r)} *${noun(r)}) { return -E${noun(r).toUpperCase()}; }`,
  (r) => `.${noun(r)}-${noun(r)} { margin: ${number(r)}px; color: #${hex(r, 6)}; display: none; }`,
  (r) => `export interface ${camel(r)} { readonly ${noun(r)}: string; readonly ${noun(r)}?: number }`,
  (r) => `echo "$${noun(r).toUpperCase()}" | grep -v ${noun(r)} > /dev/null || exit ${number(r)}`,
  (r) => `@Override protected ${camel(r)} ${camel(r)}() { return super.${camel(r)}(); }`,
  (r) => `  assert_equal ${number(r)}, ${snake(r)}(${noun(r)})`,
  (r) => `${snake(r).toUpperCase()}=${madeUpWord(r)}`,
  (r) => `resource "aws_${noun(r)}" "${noun(r)}" { ${noun(r)} = "${madeUpWord(r)}" }`,
  (r) => `<${camel(r)} ${noun(r)}={${camel(r)}} onClick={() => ${camel(r)}()} />`,
];
const code: Maker = (random) => {
  const chosen = times(4, () => String(random.below(codeLines.length))).map(Number);
  return times(6 + random.below(40), () => codeLines[pick(chosen, random)]?.(random) ?? "").join("\n");
};
const prose: Maker = (random) => times(4 + random.below(20), () => sentence(random)).join(" ");
const markdown: Maker = (random) =>
  `# ${words(random, 3)}\n\n${sentence(random)} ${sentence(random)}\n\n## ${words(random, 2)}\n\n${times(2 + random.below(6), () => `- ${sentence(random)}`).join("\n")}\n\n\`\`\`\n${code(random)}\n\`\`\`\n| ${words(random, 1)} | ${words(random, 1)} |\n|---|---|\n| ${cell(random)} | ${cell(random)} |`;
const glossary: Maker = (random) =>
  times(5 + random.below(20), () => `${noun(random)}: ${sentence(random)}`).join("\n");
const repeatedTags: Maker = (random) =>
  pick(["<b>", "<br>", "<li>", "<td></td>", "</div>", "<p></p>", "&nbsp;<i></i>"], random).repeat(
    20 + random.below(300),
  );
const options: Maker = (random) =>
  times(4 + random.below(16), () => `  --${noun(random)}-${noun(random)} <${noun(random)}>  ${sentence(random)}`).join(
    "\n",
  );
const mail: Maker = (random) =>
  `From: ${madeUpWord(random)}@${madeUpWord(random)}.example\nSubject: ${words(random, 3)}\n\nHi ${madeUpWord(random)},\n\n${prose(random)}\n\nBest\n${madeUpWord(random)}`;
const script: Maker = (random) =>
  times(4 + random.below(12), () => `${madeUpWord(random).toUpperCase()}: ${sentence(random)}`).join("\n");
const base64Lines: Maker = (random) =>
  times(3 + random.below(12), () => Buffer.from(hex(random, 48), "hex").toString("base64")).join("\n");

const makers: readonly Maker[] = [
  htmlTable, htmlTable, bareTable, htmlList, htmlPage, htmlPage, csv, json, json, yaml, lockFile, hexDump, sequence, hashes, uuids, log, log,
  stackTrace, code, code, code, code, prose, prose, prose, markdown, markdown, glossary, repeatedTags, options, mail, script, base64Lines,
]; // prettier-ignore

/** A harmless page, table, file or piece of prose, from some hundred bytes to some kilobytes. */
export function passage(random: Random): string {
  return pick(makers, random)(random);
}
