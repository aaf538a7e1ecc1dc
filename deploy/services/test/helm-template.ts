import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";

interface Chart {
  readonly folder: string;
  readonly values: unknown;
}

type Scope = ReadonlyMap<string, string>;

/**
 * Renders the chart's template as Helm does, for the part of its language that the template uses (range over `.Files.Glob`, `if
 * ne`, `.Files.Get`, `replace`, `printf`, values); Helm itself is in no package registry. @throws Error for anything else.
 */
export function renderChart(folder: string, given: object = {}): string {
  const values: unknown = { ...(parse(readFileSync(join(folder, "values.yaml"), "utf8")) as object), ...given };
  const template = readFileSync(join(folder, "templates/manifests.yaml"), "utf8");
  const [range, condition, body] =
    /^\{\{- range \$path, \$_ := (.+?) \}\}\n\{\{- if (.+?) \}\}\n([\s\S]+)\n\{\{- end \}\}\n\{\{- end \}\}\n?$/
      .exec(template)
      ?.slice(1) ?? [];
  if (range === undefined || condition === undefined || body === undefined)
    throw new Error("The template has another form than this renderer knows.");
  const chart = { folder, values };
  const [, pattern = ""] = /^\.Files\.Glob "(.+)"$/.exec(range) ?? [];
  return globSync(pattern, { cwd: folder })
    .toSorted()
    .map((path) => new Map([["$path", path]]))
    .filter((scope) => evaluate(chart, scope, condition) === "true")
    .map((scope) => `\n${body.replace(/\{\{ ([\s\S]+?) \}\}/g, (_, action: string) => evaluate(chart, scope, action))}`)
    .join("");
}

/** A pipeline: the result of each command is the last argument of the next one. */
function evaluate(chart: Chart, scope: Scope, pipeline: string): string {
  const words = pipeline.match(/"[^"]*"|[()|]|[^\s()|]+/g) ?? [];
  const result = command(chart, scope, words);
  if (words.length > 0) throw new Error(`Not understood: ${words.join(" ")}`);
  return result;
}

function command(chart: Chart, scope: Scope, words: string[]): string {
  let piped: readonly string[] = [];
  for (;;) {
    const [name = "", ...args] = terms(chart, scope, words);
    piped = [apply(chart, name, [...args, ...piped])];
    if (words[0] !== "|") return piped.join("");
    words.shift();
  }
}

function terms(chart: Chart, scope: Scope, words: string[]): readonly string[] {
  const found: string[] = [];
  while (words.length > 0 && words[0] !== "|" && words[0] !== ")") {
    const word = words.shift() ?? "";
    if (word === "(") {
      found.push(command(chart, scope, words));
      if (words.shift() !== ")") throw new Error("A parenthesis is not closed.");
    } else if (word.startsWith('"')) found.push(JSON.parse(word) as string);
    else if (word.startsWith("$.Values.")) found.push(valueAt(chart.values, word.split(".").slice(2)));
    else found.push(scope.get(word) ?? word);
  }
  return found;
}

function apply({ folder }: Chart, name: string, args: readonly string[]): string {
  const [first = "", second = "", third = ""] = args;
  if (name === "$.Files.Get") return readFileSync(join(folder, first), "utf8");
  if (name === "replace") return third.replaceAll(first, second);
  if (name === "printf") return first.replace("%s", second);
  if (name === "base") return basename(first);
  if (name === "ne") return String(first !== second);
  throw new Error(`The function ${name} is not known here.`);
}

function valueAt(values: unknown, path: readonly string[]): string {
  const value = path.reduce<unknown>(
    (found, key) => (typeof found === "object" && found !== null ? (found as Record<string, unknown>)[key] : undefined),
    values,
  );
  if (typeof value !== "string") throw new Error(`There is no text at .Values.${path.join(".")}.`);
  return value;
}
