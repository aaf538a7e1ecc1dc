import { readFileSync } from "node:fs";
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

/** Reads one JSONL file of a corpus folder. Throws with the file's name when it is missing. */
export function readExamples(folder: string, file: string): Example[] {
  const lines = readFileSync(join(folder, file), "utf8").split("\n");
  return lines.filter((line) => line.length > 0).map((line, index) => toExample(JSON.parse(line), `${file}:${index}`));
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
