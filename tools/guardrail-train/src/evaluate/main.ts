import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { loadModel } from "@gatehouse/guardrail/training";
import { corpusFiles, readExamples, readRows } from "../corpus.ts";
import { generateExamples } from "../synthetic/generate.ts";
import { contextTable } from "./context-report.ts";
import { figuresDocument } from "./figures-document.ts";
import { floorsTable } from "./floors.ts";
import { freshTables } from "./fresh-report.ts";
import { dilutionTable, disguiseTable, recallTables } from "./injection-report.ts";
import { leftOutTables } from "./left-out-report.ts";
import { type MarkedSentence, piiTable } from "./pii-report.ts";
import { compileTable, englishTable, hostileTable } from "./speed-report.ts";
import { crossValidatedSubject, type EvaluationSubject } from "./subject.ts";
import { formatTable, type Table } from "./table.ts";

const ownSeed = 5;
const usage = `Usage: pnpm --filter guardrail-train eval <data folder> [--shipped] [--quick]
  <data folder>  or GUARDRAIL_EVAL_DIR
  --shipped      judge with the committed weights instead of cross-validation (for data they have not seen)
  --quick        skip the tables that train again without each source, and those of speed
  --floors       exit with 1 when a figure misses its target
  --write        write docs/guardrail-figures.md
`;

const options = process.argv.slice(2);
const folder = options.find((option) => !option.startsWith("--")) ?? process.env["GUARDRAIL_EVAL_DIR"];
if (folder === undefined) {
  process.stderr.write(usage);
  process.exit(2);
}
const base = process.env["INIT_CWD"] ?? ".";
const path = resolve(base, folder);
const corpus = corpusFiles.flatMap((file) => readExamples(path, file));
const own = generateExamples(ownSeed);
const isShipped = options.includes("--shipped");
const shipped: EvaluationSubject = { modelFor: () => loadModel() };
const subject = isShipped ? shipped : crossValidatedSubject(corpus, own);

const tables: Table[] = [];
const report = (...made: Table[]): void => {
  for (const table of made) process.stdout.write(formatTable(table));
  tables.push(...made);
};
const isQuick = options.includes("--quick");
report(...freshTables(loadModel()));
report(...recallTables([...corpus, ...readExamples(path, "indirect")], subject));
report(disguiseTable(corpus, subject), dilutionTable(corpus, subject));
report(piiTable(readRows(path, "pii_sentences") as MarkedSentence[]), contextTable());
if (!isQuick) report(englishTable(corpus), compileTable(), hostileTable());
if (!isShipped && !isQuick) report(...leftOutTables(corpus, own));
const { table: floors, missed } = floorsTable(tables);
report(floors);

const results = resolve(import.meta.dirname, "../../.results");
mkdirSync(results, { recursive: true });
const file = resolve(results, `eval-${isShipped ? "shipped" : "cross-validated"}.json`);
writeFileSync(file, JSON.stringify({ takenAt: new Date().toISOString(), node: process.version, tables }, undefined, 2));
process.stdout.write(`\nRaw results: ${file}\n`);
if (options.includes("--write")) {
  const figures = resolve(import.meta.dirname, "../../../../docs/guardrail-figures.md");
  writeFileSync(figures, figuresDocument(tables, { isShipped, corpusSize: corpus.length }));
}
if (options.includes("--floors") && missed > 0) process.exitCode = 1;
