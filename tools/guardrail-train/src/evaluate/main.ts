import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
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
  --own-texts    measure the repository's own texts only, and keep the last run's other figures (for a new set, with the same weights)
  --speed        measure speed only, likewise (for faster code with the same verdicts)
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
const isShipped = options.includes("--shipped");
const results = resolve(import.meta.dirname, "../../.results");
const file = resolve(results, `eval-${isShipped ? "shipped" : "cross-validated"}.json`);

interface Results {
  readonly tables: readonly Table[];
  readonly load: number;
}

function report(...tables: Table[]): Table[] {
  for (const table of tables) process.stdout.write(formatTable(table));
  return tables;
}

function measure(): Results {
  const own = generateExamples(ownSeed);
  const shipped: EvaluationSubject = { modelFor: () => loadModel() };
  const subject = isShipped ? shipped : crossValidatedSubject(corpus, own);
  const isQuick = options.includes("--quick");
  const tables = [
    ...report(...freshTables(loadModel())),
    ...report(...recallTables([...corpus, ...readExamples(path, "indirect")], subject)),
    ...report(disguiseTable(corpus, subject), dilutionTable(corpus, subject)),
    ...report(piiTable(readRows(path, "pii_sentences") as MarkedSentence[]), contextTable()),
    ...(isQuick ? [] : speedTables()),
  ];
  const load = loadavg()[0] ?? Number.NaN;
  return { tables: [...tables, ...(isShipped || isQuick ? [] : report(...leftOutTables(corpus, own)))], load };
}

function speedTables(): Table[] {
  return report(englishTable(corpus), compileTable(), hostileTable());
}

/** The last run's figures, with these tables in place of their former ones. */
function renewed(renewing: readonly Table[]): Results {
  const last: Results = JSON.parse(readFileSync(file, "utf8"));
  const byTitle = new Map(renewing.map((table) => [table.title, table]));
  return { ...last, tables: last.tables.map((table) => byTitle.get(table.title) ?? table) };
}

function measureAsAsked(): Results {
  if (options.includes("--own-texts")) return renewed(report(...freshTables(loadModel())));
  if (options.includes("--speed")) return { ...renewed(speedTables()), load: loadavg()[0] ?? Number.NaN };
  return measure();
}

const { tables: measured, load } = measureAsAsked();
const { table: floors, missed } = floorsTable(measured);
report(floors);
const tables = [...measured.filter(({ title }) => title !== floors.title), floors];

mkdirSync(results, { recursive: true });
const raw = { takenAt: new Date().toISOString(), node: process.version, load, tables };
writeFileSync(file, JSON.stringify(raw, undefined, 2));
process.stdout.write(`\nRaw results: ${file}\n`);
if (options.includes("--write")) {
  const figures = resolve(import.meta.dirname, "../../../../docs/guardrail-figures.md");
  writeFileSync(figures, figuresDocument(tables, { isShipped, corpusSize: corpus.length, load }));
}
if (options.includes("--floors") && missed > 0) process.exitCode = 1;
