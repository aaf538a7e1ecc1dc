import type * as service from "@gatehouse/guardrail/training";
import { type CompiledPolicy, compilePolicy, inspect } from "@gatehouse/guardrail/training";
import type { Example } from "../corpus.ts";
import { readFresh } from "../fresh.ts";
import { hostileTexts } from "./hostile.ts";
import type { Table } from "./table.ts";

const kilobyte = 1024;
const partLength = 4 * kilobyte;
const partsMax = 16;
const rounds = 15;
/** So many that the clock of processor time, which has steps of four milliseconds, is exact to 0.3 µs a KB. */
const runsPerRound = 200;
/** As many as V8 needs to compile what a new kind of text runs through. */
const hostileRounds = 10;
/** Length of hostile texts in measurements of speed, characters. */
export const megabyte = kilobyte * kilobyte;

/** Microseconds of processor time per kilobyte of English with all input checks on, the best of many rounds. */
export function englishTable(corpus: readonly Example[]): Table {
  const parts = plainEnglish(corpus);
  const build = { compilePolicy, inspect };
  const policies = Object.entries({
    "all four": prepare(build, fourChecks()),
    "all four and secrets": prepare(build, { ...fourChecks(), secrets: { mode: "block" } }),
    "10,000 keywords only": prepare(build, { keywords: manyKeywords(), max_content_length: megabyte * 10 }),
    "personal data only": prepare(build, { pii: { mode: "block" } }),
    "secrets only": prepare(build, { secrets: { mode: "block" } }),
    "prompt injection only": prepare(build, { prompt_injection: { mode: "block" } }),
    "no check (reading alone)": prepare(build, {}),
  });
  const others = otherScripts();
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, judge] of policies) lower(best, name, perKilobyte(judge, parts));
    lower(best, "all four, other scripts", perKilobyte(prepare(build, fourChecks()), others));
  }
  return {
    title:
      "Microseconds per KB of plain English, and of eight other languages (4 KB texts, processor time, best of rounds)",
    header: ["checks", "us/KB"],
    rows: [...best].map(([name, value]) => [name, value.toFixed(1)]),
  };
}

function lower(best: Map<string, number>, name: string, value: number): void {
  best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, value));
}

/** Texts of 4 KB of ASCII prose that users wrote. */
export function plainEnglish(corpus: readonly Example[]): string[] {
  const prose = corpus.filter(
    ({ attack, source }) => !attack && (source === "wildguard-benign" || source === "self-instruct"),
  );
  const text = prose
    .map((example) => example.text)
    .join("\n")
    .replaceAll(/[^\n\u0020-\u007e]/gu, " ");
  const parts: string[] = [];
  for (let at = 0; at + partLength <= text.length && parts.length < partsMax; at += partLength) {
    // A new flat string: a slice of a long one would be read through its parent.
    parts.push(Buffer.from(text.slice(at, at + partLength)).toString());
  }
  return parts;
}

type Judge = (text: string) => void;

/** Compiles a policy with a build of the service. */
export function prepare(build: Pick<typeof service, "compilePolicy" | "inspect">, document: unknown): Judge {
  const policy = build.compilePolicy(document);
  return (text) => void build.inspect(policy, { side: "input", texts: [{ role: "user", text }] });
}

/** Microseconds of processor time for a kilobyte of UTF-8. */
export function perKilobyte(judge: Judge, parts: readonly string[]): number {
  const taken = cpuMicroseconds(() => {
    for (let count = 0; count < runsPerRound; count += 1) for (const part of parts) judge(part);
  });
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  return taken / ((runsPerRound * bytes) / kilobyte);
}

const otherLanguages = new Set(["ru", "ar", "hi", "bn", "zh", "ja", "ko", "th"]);

/** Texts of about 4 KB of UTF-8 in scripts other than Latin, one for each language. */
export function otherScripts(): string[] {
  const byLanguage = Map.groupBy(
    readFresh("language-harmless").filter(({ lang }) => otherLanguages.has(lang)),
    ({ lang }) => lang,
  );
  return [...byLanguage.values()].map((texts) => {
    const whole = texts.map(({ text }) => text).join("\n");
    return `${whole}\n`.repeat(Math.ceil(partLength / Buffer.byteLength(whole)));
  });
}

/** Milliseconds to compile a policy of 10,000 keywords. */
export function compileTable(): Table {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < hostileRounds; round += 1) {
    const taken = cpuMicroseconds(() => void compilePolicy({ keywords: manyKeywords() }));
    best = Math.min(best, taken / 1000);
  }
  return { title: "Compiling (processor time)", header: ["", "ms"], rows: [["10,000 keywords", best.toFixed(0)]] };
}

/** Milliseconds for one megabyte of each hostile text with all checks on, and the growth from half of it. */
export function hostileTable(): Table {
  const policy = compilePolicy({ ...fourChecks(), secrets: { mode: "block" } });
  const halves = hostileTexts(megabyte / 2);
  const rows = [...hostileTexts(megabyte)].map(([name, text]) => {
    const whole = fastest(policy, text);
    return { name, whole, growth: whole / fastest(policy, halves.get(name) ?? "") };
  });
  rows.sort((left, right) => right.whole - left.whole);
  return {
    title: "One MB of hostile text, all checks on (processor time)",
    header: ["text", "ms", "growth for twice the length"],
    rows: rows.map(({ name, whole, growth }) => [name, whole.toFixed(0), growth.toFixed(2)]),
  };
}

function fastest(policy: CompiledPolicy, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < hostileRounds; round += 1) {
    const taken = cpuMicroseconds(() => {
      inspect(policy, { side: "input", texts: [{ role: "user", text }], exhaustive: true });
    });
    best = Math.min(best, taken / 1000);
  }
  return best;
}

/** Processor time of this thread alone, nearly independent of other load. */
function cpuMicroseconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

/** The specification's checks of input. */
export function fourChecks() {
  return {
    pii: { mode: "block" },
    prompt_injection: { mode: "block" },
    keywords: manyKeywords(),
    max_content_length: megabyte * 10,
  };
}

/** Ten thousand keywords that begin like common words, so that the automaton is used. */
export function manyKeywords(): string[] {
  const heads = ["the", "and", "in", "pro", "con", "re", "project", "secret", "internal", "alpha"];
  return Array.from({ length: 10_000 }, (_, index) => `${heads[index % heads.length] ?? ""}x${index.toString(36)}`);
}
