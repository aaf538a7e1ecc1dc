import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One labelled text. Texts of one cluster are near-duplicates and are never split between training and testing. */
export interface Example {
  readonly text: string;
  readonly attack: boolean;
  readonly source: string;
  readonly group: string;
  readonly cluster: string;
  readonly lang: string;
}

/** Sets of the corpus folder that weights are trained on. */
export const corpusFiles = ["injection", "injection_weak", "benign", "overdefense"] as const;

/** Reads one set of a corpus folder: the JSONL file whose name begins with it. Throws naming the set when it is missing. */
export function readExamples(folder: string, set: string): Example[] {
  return readRows(folder, set).map((row, index) => toExample(row, `${set}:${index}`));
}

/** Parsed lines of a set's JSONL file, unchecked. @throws Error naming the set where its file is missing */
export function readRows(folder: string, set: string): unknown[] {
  const file = readdirSync(folder).find((name) => name.startsWith(`${set}.`) && name.endsWith(".jsonl"));
  if (file === undefined) throw new Error(`no file ${set}.*.jsonl in the corpus folder`);
  const lines = readFileSync(join(folder, file), "utf8").split("\n");
  return lines.filter((line) => line.length > 0).map((line): unknown => JSON.parse(line));
}

function toExample(row: unknown, fallbackCluster: string): Example {
  const fields = new Map(Object.entries(row ?? {}));
  const text = (name: string, otherwise: string): string => String(fields.get(name) ?? otherwise);
  return {
    text: text("text", ""),
    attack: fields.get("label") === 1,
    source: text("source", "unknown"),
    group: text("group", "unknown"),
    cluster: text("cluster", fallbackCluster),
    lang: text("lang", ""),
  };
}

/** Parts of the corpus for cross-validation; each is scored once by weights trained without it. */
export const folds = 5;

/** Fold of an example, by its cluster, so that near-duplicates stay together. */
export function foldOf(cluster: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < cluster.length; index += 1)
    hash = Math.imul(hash ^ cluster.charCodeAt(index), 0x0100_0193);
  return ((hash ^ (hash >>> 13)) >>> 0) % folds;
}
