import { corpusFiles, type Example, readExamples } from "../corpus.ts";
import { longTexts } from "../evaluate/long-texts.ts";
import {
  fourChecks,
  manyKeywords,
  otherScripts,
  perKilobyte,
  plainEnglish,
  prepare,
} from "../evaluate/speed-report.ts";
import type { Table } from "../evaluate/table.ts";
import type { Build } from "./main.ts";

const rounds = 9;

/** Microseconds per KB of both builds, alternating: the best of each one's rounds, and the median of the ratios. */
export function speedTable(builds: { readonly here: Build; readonly other: Build }, folder: string): Table {
  const corpus = corpusFiles.flatMap((file) => readExamples(folder, file));
  const rows: string[][] = [];
  for (const [kind, texts] of Object.entries(kindsOf(corpus)))
    for (const [name, document] of Object.entries(policies)) {
      const mine = prepare(builds.here, document);
      const their = prepare(builds.other, document);
      const [ours, theirs]: [number[], number[]] = [[], []];
      // The order alternates, since the second run finds warm caches.
      for (let round = 0; round < rounds; round += 1) {
        const isFirst = round % 2 === 0;
        if (isFirst) ours.push(perKilobyte(mine, texts));
        theirs.push(perKilobyte(their, texts));
        if (!isFirst) ours.push(perKilobyte(mine, texts));
      }
      const ratios = ours.map((value, round) => value / (theirs[round] ?? 1)).sort((left, right) => left - right);
      const [best, otherBest, ratio] = [Math.min(...ours), Math.min(...theirs), ratios[Math.floor(rounds / 2)] ?? 0];
      rows.push([`${kind}, ${name}`, best.toFixed(1), otherBest.toFixed(1), ratio.toFixed(2)]);
    }
  return { title: "Microseconds per KB (processor time)", header: ["", "here", "other", "ratio"], rows };
}

const policies = {
  "all four": fourChecks(),
  "all four and secrets": { ...fourChecks(), secrets: { mode: "block" } },
  keywords: { keywords: manyKeywords() },
  "personal data": { pii: { mode: "block" } },
  injection: { prompt_injection: { mode: "block" } },
  secrets: { secrets: { mode: "block" } },
};

function kindsOf(corpus: readonly Example[]): Readonly<Record<string, readonly string[]>> {
  const english = plainEnglish(corpus);
  const files = longTexts(4_096).map((text) => Buffer.from(text).toString());
  const isJson = (text: string): boolean => /^[\s\S]{0,2000}"[\w-]+": ?["{[]/u.test(text);
  const tools = english.map((text) => JSON.stringify({ id: 7, content: text.split("\n"), note: null }, undefined, 1));
  return {
    English: english,
    code: files.filter((text) => !isJson(text)).slice(0, 16),
    JSON: tools,
    "other scripts": otherScripts(),
  };
}
