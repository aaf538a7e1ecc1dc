import { countDuplicatedLines } from "./duplicates.ts";
import { countRepeatedDefinitions } from "./repeated-definitions.ts";
import { isTest, isTypeScript, readSource, type Source } from "./source.ts";
import type { TextFile } from "./tree.ts";
import { findWords } from "./words.ts";

const shortLinesMax = 15;
const functionLinesMax = 60;
const parameterInterface = /(?:Options|Parts|Sources|Context|Bounds)$/;
/** A wait for a literal number of milliseconds. */
const fixedDelay = /\b(?:setTimeout|sleep|delay|pause)\((?:.*,\s*)?[\d_]+\)/;

/** A line that is data: a text, or the first of a row. */
const dataLine = /^\s*[["'`]/;

/** A wait for a named number; `setTimeout` only where it does nothing else, since a time limit is not a wait. */
const namedDelay = /\b(?:(?:sleep|delay|pause)\(|setTimeout\(resolve, )(\w+)(?: [*+-] [\w.]+)?\)/;
/** A named number, in the file that waits or in one that exports it. */
const numberConstant = /^\s*(?:export )?const (\w+) = [\d_]+(?: \* [\d_]+)*;/gm;
const exportedNumberConstant = /^export const (\w+) = [\d_]+(?: \* [\d_]+)*;/gm;

/** A wait with its reason: `lapse` of packages/async/testing. */
const reasonedDelay = /(?<!function )\blapse\(/;

/** An added feature, with its names in the files that know it. */
const examples: readonly (readonly [what: string, names: RegExp])[] = [
  ["the endpoint field first_token_timeout_ms", /first_token_timeout_ms|firstTokenTimeoutMs|first-token-timeout-ms/],
  [
    "the operation svc_delete_provider, with its audit event",
    /svc_delete_provider|\bdeleteProvider\b|delete-provider|provider\.deleted/,
  ],
];

/** Generated copies, which a test compares with their source. */
const generated = /^docs\/(?:commands|roles|events|pipeline|configuration)\.md$|operations\.json$|tool-list\.json$/;

/** Figures of a tree, as the lines that `pnpm measure` prints. */
export function describeTree(files: readonly TextFile[]): readonly string[] {
  const sources = files.filter(isTypeScript).map(readSource);
  const product = sources.filter(({ path }) => !isTest(path));
  const tests = sources.filter(({ path }) => isTest(path));
  return [
    ...examples.flatMap(([what, names]) => describeExample(what, names, files)),
    "",
    ...describeSizes(product),
    "",
    ...describeServices(product),
    "",
    ...describeComments(sources),
    "",
    describeExports(product),
    `parameter interfaces (…Options, …Parts, …Sources, …Context, …Bounds): ${countInterfaces(product)}`,
    describeDelays(tests),
    `duplicated lines: ${countDuplicatedLines(product)} in the product, ${countDuplicatedLines(tests)} in tests`,
    `definitions that stand elsewhere too: ${countRepeatedDefinitions(product)} in the product, ${countRepeatedDefinitions(tests)} in tests`,
  ];
}

function describeExample(what: string, names: RegExp, files: readonly TextFile[]): string[] {
  const naming = files.filter(({ path, text }) => names.test(text) && !path.startsWith("tools/measure/"));
  const made = naming.filter(({ path }) => generated.test(path));
  const others = naming.filter((file) => !made.includes(file));
  const written = others.filter(({ path }) => !isTest(path) && !path.endsWith(".md"));
  return [
    `files for ${what}: ${written.length}, besides ${made.length} generated, ${others.length - written.length} of tests and docs`,
    ...written.map(({ path }) => `  ${path}`),
  ];
}

/** Files where a process or a package begins, which are short by nature. */
const entryPoint = /\/(?:index|main|program|testing|adapters|worker)\.tsx?$/;

function describeSizes(product: readonly Source[]): string[] {
  const short = product.filter(({ lines }) => lines.length - 1 <= shortLinesMax);
  const entryPoints = short.filter((source) => entryPoint.test(source.path) || !isImported(source, product));
  const sizes = product.map(({ lines }) => lines.length - 1).toSorted((one, other) => one - other);
  const functions = product.flatMap(({ functionLengths }) => functionLengths);
  return [
    `files: ${product.length}, lines: ${sum(sizes)}, median ${sizes[sizes.length >> 1] ?? 0}, longest ${sizes.at(-1) ?? 0}`,
    `files of at most ${shortLinesMax} lines: ${short.length}, of which ${entryPoints.length} are entry points`,
    `functions: ${functions.length}, over ${functionLinesMax} lines: ${functions.filter((size) => size > functionLinesMax).length}`,
  ];
}

/** False for a file that is started by its name. */
function isImported({ path }: Source, product: readonly Source[]): boolean {
  const name = path.slice(path.lastIndexOf("/"));
  return product.some(({ text }) =>
    new RegExp(`(?:from|import)[ (]"[^"]*${name.replaceAll(".", String.raw`\.`)}"`).test(text),
  );
}

function describeServices(product: readonly Source[]): string[] {
  const names = new Set(product.flatMap(({ path }) => /^services\/[^/]+/.exec(path)?.[0] ?? []));
  return [...names].toSorted().map((name) => {
    const own = product.filter(({ path }) => path.startsWith(`${name}/`));
    return `${name.padEnd(28)} ${String(own.length).padStart(4)} files ${String(sum(own.map(({ lines }) => lines.length - 1))).padStart(7)} lines`;
  });
}

function describeComments(sources: readonly Source[]): string[] {
  const comments = sources.reduce((total, source) => total + source.comments.length, 0);
  const counts = new Map<string, number>();
  for (const { word } of sources.flatMap(findWords)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const listed = [...counts].map(([word, count]) => `${word} ${count}`).join(", ");
  return [`comments: ${comments}; with words to avoid: ${listed === "" ? "none" : listed}`];
}

function describeExports(product: readonly Source[]): string {
  const names = product.flatMap(({ exportedNames }) => exportedNames);
  const bare = names.filter(({ isDescribed }) => !isDescribed).length;
  return `exports without a doc comment: ${bare} of ${names.length} (${Math.round((100 * bare) / Math.max(1, names.length))} %)`;
}

/** A delay in a loop that waits for a condition only sets the frequency. */
function describeDelays(tests: readonly Source[]): string {
  const exported = tests.flatMap(({ text }) => namesOf(text, exportedNumberConstant));
  const delays = tests.flatMap(({ text, lines, waitingLoops }) => {
    const constants = new Set([...namesOf(text, numberConstant), ...exported]);
    return lines.flatMap((line, index) => {
      const name = namedDelay.exec(line)?.[1] ?? "";
      if (!(fixedDelay.test(line) || constants.has(name)) || dataLine.test(line)) return [];
      return [waitingLoops.some(([first, last]) => first <= index + 1 && index + 1 <= last)];
    });
  });
  const inLoops = delays.filter(Boolean).length;
  const reasoned = tests.flatMap(({ lines }) => lines).filter((line) => reasonedDelay.test(line)).length;
  return `fixed delays in tests: ${delays.length - inLoops}, besides ${inLoops} between the rounds of loops with a condition and ${reasoned} with a reason`;
}

function namesOf(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), ([, name = ""]) => name);
}

function countInterfaces(product: readonly Source[]): number {
  return product.flatMap(({ interfaceNames }) => interfaceNames).filter((name) => parameterInterface.test(name)).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
