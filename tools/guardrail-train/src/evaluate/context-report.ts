import { readFileSync } from "node:fs";
import {
  contextEntities,
  findPii,
  type PiiEntity,
  type PiiSelection,
  readCanonical,
} from "@gatehouse/guardrail/training";
import { percent, type Table } from "./table.ts";

/** A text with its names, addresses and birth dates. */
interface MarkedText {
  readonly text: string;
  readonly marks: readonly { readonly entity: PiiEntity; readonly start: number; readonly end: number }[];
}

const entityOf: Readonly<Record<string, PiiEntity>> = { n: "person_name", a: "postal_address", d: "birth_date" };
const selection: PiiSelection = { entities: new Set(contextEntities), countries: new Set() };
const file = new URL("../../eval/personal-context.txt", import.meta.url);

/** Every second text: those used to tune the rules, or those only measured. */
export function readContextTexts(half: "fixed" | "measured"): readonly MarkedText[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines.filter((_, index) => index % 2 === (half === "fixed" ? 0 : 1)).map(toMarked);
}

function toMarked(line: string): MarkedText {
  const marks: MarkedText["marks"][number][] = [];
  let text = "";
  let done = 0;
  const given = line.replaceAll(String.raw`\n`, "\n");
  for (const { index, 0: whole, 1: kind = "", 2: value = "" } of given.matchAll(/\{([nad])\|([^}]*)\}/gu)) {
    text += given.slice(done, index);
    marks.push({ entity: entityOf[kind] ?? "person_name", start: text.length, end: text.length + value.length });
    text += value;
    done = index + whole.length;
  }
  return { text: text + given.slice(done), marks };
}

interface ContextCounts {
  readonly marked: number;
  /** Marks that are found whole. */
  readonly whole: number;
  readonly finds: number;
  /** Findings that touch no mark of their kind. */
  readonly wrong: number;
}

/** Counts of an entity's marks, findings and wrong findings. */
export function countContext(texts: readonly MarkedText[], entity: PiiEntity): ContextCounts {
  const counts = { marked: 0, whole: 0, finds: 0, wrong: 0 };
  for (const { text, marks } of texts) {
    const found = findPii(readCanonical(text), selection).filter((span) => span.entity === entity);
    const wanted = marks.filter((mark) => mark.entity === entity);
    counts.marked += wanted.length;
    counts.whole += wanted.filter((mark) =>
      found.some(({ start, end }) => start <= mark.start && end >= mark.end),
    ).length;
    counts.finds += found.length;
    counts.wrong += found.filter(
      ({ start, end }) => !wanted.some((mark) => start < mark.end && mark.start < end),
    ).length;
  }
  return counts;
}

/** Recall and precision of entities found by context, on the texts that were only measured. */
export function contextTable(): Table {
  const texts = readContextTexts("measured");
  return {
    title: `Names, addresses and birth dates (${texts.length} texts by the rules' author, not used to fix them)`,
    header: ["", "marked", "recall, whole", "precision"],
    rows: contextEntities.map((entity) => {
      const { marked, whole, finds, wrong } = countContext(texts, entity);
      return [entity, String(marked), percent(whole, marked), percent(finds - wrong, finds)];
    }),
  };
}
