import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { loadModel } from "@gatehouse/guardrail/training";
import { corpusFiles, readExamples, readRows } from "../corpus.ts";
import { generateExamples } from "../synthetic/generate.ts";
import { contextTable } from "./context-report.ts";
import { circumstancesTitle, figuresPage, readFiguresPage, renewTables } from "./figures-page.ts";
import { floorsTable } from "./floors.ts";
import { freshTables } from "./fresh-report.ts";
import { dilutionTable, disguiseTable, recallTables } from "./injection-report.ts";
import { leftOutTables } from "./left-out-report.ts";
import { type MarkedSentence, piiTable } from "./pii-report.ts";
import { compileTable, englishTable, hostileTable } from "./speed-report.ts";
import { crossValidatedSubject } from "./subject.ts";
import { formatTable, type Table } from "./table.ts";

const ownSeed = 5;
const parts = ["own-texts", "corpus", "left-out", "speed"] as const;
type Part = (typeof parts)[number];
const usage = `Usage: pnpm --filter guardrail-train eval <data folder> [--only <part>[,<part>]] [--shipped] [--floors] [--write]
  <data folder>  or GUARDRAIL_EVAL_DIR
  --only         measure these parts; the other figures stay as docs/guardrail-figures.md has them
                 own-texts  the repository's own texts, with the committed weights
                 corpus     the corpus by cross-validation: recall, disguises, attacks in prose, personal data
                 left-out   recall and false positives on sources left out, for which weights are trained again
                 speed
  --shipped      judge the corpus with the committed weights instead of cross-validation (for data they have not seen)
  --floors       exit with 1 when a figure misses its target
  --write        write docs/guardrail-figures.md
`;

function refuse(problem: string): never {
  process.stderr.write(`${problem}${usage}`);
  process.exit(2);
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    shipped: { type: "boolean", default: false },
    floors: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const folder = positionals[0] ?? process.env["GUARDRAIL_EVAL_DIR"] ?? refuse("");
const asked = options.only?.split(",") ?? parts.filter((part) => !(options.shipped && part === "left-out"));
const chosen = parts.filter((part) => asked.includes(part));
if (chosen.length !== asked.length) refuse(`--only takes ${parts.join(", ")}.\n\n`);
if (options.shipped && options.write)
  refuse("--shipped is not for the page, whose figures are by cross-validation.\n\n");
const path = resolve(process.env["INIT_CWD"] ?? ".", folder);
const corpus = corpusFiles.flatMap((file) => readExamples(path, file));
const figuresFile = resolve(import.meta.dirname, "../../../../docs/guardrail-figures.md");

const measures: Readonly<Record<Part, () => Table[]>> = {
  "own-texts": () => freshTables(loadModel()),
  corpus: () => {
    const subject = options.shipped
      ? { modelFor: () => loadModel() }
      : crossValidatedSubject(corpus, generateExamples(ownSeed));
    return [
      ...recallTables([...corpus, ...readExamples(path, "indirect")], subject),
      disguiseTable(corpus, subject),
      dilutionTable(corpus, subject),
      piiTable(readRows(path, "pii_sentences") as MarkedSentence[]),
      contextTable(),
    ];
  },
  "left-out": () => leftOutTables(corpus, generateExamples(ownSeed)),
  speed: () => [englishTable(corpus), compileTable(), hostileTable()],
};

function report(tables: readonly Table[]): readonly Table[] {
  for (const table of tables) process.stdout.write(formatTable(table));
  return tables;
}

const circumstances = { title: circumstancesTitle, header: ["part", "on", "with Node", "processor", "load"] };

function circumstancesOf(part: Part): string[] {
  const load = `${(loadavg()[0] ?? Number.NaN).toFixed(0)} on ${availableParallelism()} processors`;
  const [day = ""] = new Date().toISOString().split("T");
  return [part, day, process.version, cpus()[0]?.model.trim() ?? "unknown", load];
}

const last = options.only === undefined ? [] : readFiguresPage(readFileSync(figuresFile, "utf8"));
const rows = new Map(last.find(({ title }) => title === circumstancesTitle)?.rows.map((row) => [row[0], row]));
const measured = chosen.flatMap((part) => {
  const tables = report(measures[part]());
  rows.set(part, circumstancesOf(part));
  return tables;
});
const renewed = renewTables(last, [...measured, { ...circumstances, rows: [...rows.values()] }]);
const { table: floors, missed } = floorsTable(renewed);
report([floors]);
const tables = renewTables(renewed, [floors]);

const file = resolve(import.meta.dirname, "../../.results/eval.json");
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, JSON.stringify(tables, undefined, 2));
process.stdout.write(`\nRaw results: ${file}\n`);
if (options.write) writeFileSync(figuresFile, figuresPage(tables, corpus.length));
if (options.floors && missed > 0) process.exitCode = 1;
