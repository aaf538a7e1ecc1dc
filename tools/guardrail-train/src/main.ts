import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeModel, modelFileUrl, packModelFile } from "@gatehouse/guardrail/training";
import { corpusFiles, readExamples } from "./corpus.ts";
import { generateExamples } from "./synthetic/generate.ts";
import { train } from "./train.ts";

const ownSeed = 5;

const folder = process.argv[2] ?? process.env["GUARDRAIL_EVAL_DIR"];
if (folder === undefined) {
  process.stderr.write("Usage: pnpm --filter guardrail-train train <corpus folder> (or GUARDRAIL_EVAL_DIR)\n");
  process.exit(2);
}
const path = resolve(process.env["INIT_CWD"] ?? ".", folder);
const corpus = corpusFiles.flatMap((file) => readExamples(path, file));
const { model, header, recall } = train(corpus, generateExamples(ownSeed));
const bytes = packModelFile(encodeModel(header, model));
const target = fileURLToPath(modelFileUrl);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, bytes);
process.stdout.write(`${JSON.stringify({ ...header, recall, bytes: bytes.length }, undefined, 2)}\n`);
