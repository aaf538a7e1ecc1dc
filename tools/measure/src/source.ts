import { parseSync } from "oxc-parser";
import type { TextFile } from "./tree.ts";

/** Block comment, or consecutive line comments joined; `line` is the first one's, from 1. */
export interface Comment {
  /** Without its marks, on one line. */
  readonly text: string;
  readonly line: number;
}

/** Measured facts of a TypeScript or JavaScript file; lines count from 1. */
export interface Source extends TextFile {
  readonly lines: readonly string[];
  readonly comments: readonly Comment[];
  /** String literals, parts of templates and JSX texts that contain a blank. */
  readonly texts: readonly Comment[];
  /** Lines of each function, from its first to its last. */
  readonly functionLengths: readonly number[];
  readonly interfaceNames: readonly string[];
  /** Names that the file declares and exports, and whether they have a doc comment. */
  readonly exportedNames: readonly { readonly name: string; readonly isDescribed: boolean }[];
  /** First and last lines of loops that run until a condition holds. */
  readonly waitingLoops: readonly (readonly [first: number, last: number])[];
}

/** Whether the file is written by hand: generated code and declarations are not counted. */
export function isTypeScript({ path }: TextFile): boolean {
  return /\.tsx?$/.test(path) && !path.endsWith(".d.ts") && !/(?:^|\/)(?:generated|gen|dist)\//.test(path);
}

/** Whether the file is a program in plain JavaScript, whose comments are checked and whose code is not measured. */
export function isScript({ path }: TextFile): boolean {
  return path.endsWith(".mjs");
}

/** Whether the file is a test, or used by tests alone. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$|\/test\/|\/testing\/|\/testing\.ts$|^tests\//.test(path);
}

/** Parses a file and measures it. Syntax errors are ignored here; the type check reports them. */
export function readSource(file: TextFile): Source {
  const { program, comments } = parseSync(file.path, file.text);
  const lineOf = createLineFinder(file.text);
  const lengths: number[] = [];
  const names: string[] = [];
  const loops: [number, number][] = [];
  const texts: Comment[] = [];
  walk(program, (node) => {
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) {
      lengths.push(lineOf(node.end) - lineOf(node.start) + 1);
    }
    const written = textOf(node);
    if (written?.includes(" ") === true) texts.push({ text: written, line: lineOf(node.start) });
    if (isWaitingLoop(node)) loops.push([lineOf(node.start), lineOf(node.end)]);
    if (node.type === "TSInterfaceDeclaration") names.push((node as unknown as Named).id.name);
  });
  return {
    ...file,
    lines: file.text.split("\n"),
    comments: joinLines(
      comments.map(({ value, start, end }) => ({ text: value, line: lineOf(start), end: lineOf(end) })),
    ),
    texts,
    functionLengths: lengths,
    interfaceNames: names,
    exportedNames: program.body.flatMap((statement) =>
      exportsOf(statement as unknown as Exporting, file.text, comments),
    ),
    waitingLoops: loops,
  };
}

/** A comment that ends right above a declaration belongs to it. */
function exportsOf({ type, start, declaration }: Exporting, text: string, comments: readonly PlainComment[]) {
  if (type !== "ExportNamedDeclaration" || declaration === null || declaration === undefined) return [];
  const isDescribed = comments.some(
    ({ type: kind, value, end }) =>
      kind === "Block" && value.startsWith("*") && end <= start && text.slice(end, start).trim() === "",
  );
  const declared = declaration.declarations ?? [declaration];
  return declared.flatMap(({ id }) => (id?.name === undefined ? [] : [{ name: id.name, isDescribed }]));
}

/** A loop with a counter does not count. */
function isWaitingLoop(node: Node): boolean {
  if (node.type !== "ForStatement") return node.type === "WhileStatement" || node.type === "DoWhileStatement";
  const { update } = node as unknown as Loop;
  return update === null || update.type === "AwaitExpression";
}

function textOf(node: Node): string | undefined {
  const { value } = node as unknown as Written;
  if (node.type === "TemplateElement") return typeof value === "object" ? value.cooked : undefined;
  return /^(?:Literal|JSXText)$/.test(node.type) && typeof value === "string" ? value : undefined;
}

interface Written {
  readonly value: string | number | { readonly cooked?: string };
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Exporting extends Node {
  readonly declaration?: (Partial<Named> & { readonly declarations?: readonly Partial<Named>[] }) | null;
}

interface PlainComment {
  readonly type: string;
  readonly value: string;
  readonly end: number;
}

interface Named {
  readonly id: { readonly name: string };
}

interface Loop {
  readonly update: Node | null;
}

interface RawComment extends Comment {
  readonly end: number;
}

/** Joins single-line comments on consecutive lines. Marks are removed, and white space becomes one blank. */
export function joinLines(comments: readonly RawComment[]): readonly Comment[] {
  const joined: RawComment[] = [];
  for (const { text, line, end } of comments) {
    const plain = text
      .replaceAll(/^\s*\*+ ?/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim();
    const before = joined.at(-1);
    if (before !== undefined && before.end === line - 1 && line === end) {
      joined[joined.length - 1] = { text: `${before.text} ${plain}`, line: before.line, end };
    } else joined.push({ text: plain, line, end });
  }
  return joined;
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value && typeof value.type === "string" && "start" in value) visit(value as unknown as Node);
    for (const member of Object.values(value)) if (typeof member === "object") walk(member, visit);
  }
}

function createLineFinder(text: string): (offset: number) => number {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
