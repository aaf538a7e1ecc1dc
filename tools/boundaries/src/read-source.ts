import {
  type Argument,
  type Expression,
  type ImportDeclaration,
  type MemberExpression,
  parseSync,
  Visitor,
  type VisitorObject,
} from "oxc-parser";
import { type Effect, visitEffects } from "./effects.ts";
import { type Export, visitExports } from "./exports.ts";
import { type LogField, visitLogFields } from "./log-fields.ts";

/** Kind of a reference to another file. `path` is an address: `new URL("…", import.meta.url)`, or `taskModule` of packages/workers. */
type ImportForm = "import" | "require" | "path";

/** Module that a file names: by an import, a re-export, `require` or a path. `line` counts from 1. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly form: ImportForm;
  /** Erased before the code runs (`import type`); `{ type X }` alone still loads the module. */
  readonly typeOnly: boolean;
  /** Names imported as values, or the whole module. */
  readonly names: readonly string[] | "all";
  /** Names imported only as types, `{ type A }`. */
  readonly typeNames: readonly string[];
}

/** An attached listener: `emitter.on("event", listener)`. */
export interface Listener {
  readonly event: string;
  readonly line: number;
  /** Made by `guarded` of packages/async, at this place or in a declaration of the file. */
  readonly isGuarded: boolean;
}

/** Imports and other facts of a file, for the rules. */
export interface SourceFacts {
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  readonly environmentLines: readonly number[];
  readonly fetchLines: readonly number[];
  readonly listeners: readonly Listener[];
  /** Lines that call `guarded` with an async function. */
  readonly asyncGuardLines: readonly number[];
  /** Lines of classes that receive replies from undici directly. */
  readonly replyHandlerLines: readonly number[];
  /** Clocks, chance, the process, the network and waiting, in the file's order. */
  readonly effects: readonly Effect[];
  readonly logFields: readonly LogField[];
  readonly syntaxError: string | undefined;
}

/** Reads a file's imports, in any form with a literal module name, and the other facts for the rules. */
export function readSource(path: string, text: string): SourceFacts {
  const parsed = parseSync(path, text);
  const lineOf = createLineFinder(text);
  const imports: Import[] = [];
  const environmentLines: number[] = [];
  const fetchLines: number[] = [];
  const listeners: (Omit<Listener, "isGuarded"> & { readonly listener: MaybeExpression })[] = [];
  const guardedNames = new Set<string>();
  const asyncGuardLines: number[] = [];
  const replyHandlerLines: number[] = [];
  const collector: Collector = {
    add: (found, start) =>
      imports.push({ form: "import", typeOnly: false, names: "all", typeNames: [], ...found, line: lineOf(start) }),
    addEnvironment: (start) => environmentLines.push(lineOf(start)),
    addFetch: (start) => fetchLines.push(lineOf(start)),
    addListener: (event, listener, start) => listeners.push({ event, listener, line: lineOf(start) }),
    addGuarded: (name) => guardedNames.add(name),
    addAsyncGuard: (start) => asyncGuardLines.push(lineOf(start)),
    addReplyHandler: (start) => replyHandlerLines.push(lineOf(start)),
  };
  new Visitor({ ...visitStatements(collector), ...visitExpressions(collector) }).visit(parsed.program);
  const exports: Export[] = [];
  new Visitor(visitExports((name, start) => exports.push({ name, line: lineOf(start) }))).visit(parsed.program);
  const effects: Effect[] = [];
  new Visitor(visitEffects((name, start) => effects.push({ name, line: lineOf(start) }))).visit(parsed.program);
  const logFields: LogField[] = [];
  new Visitor(visitLogFields((name, start) => logFields.push({ name, line: lineOf(start) }))).visit(parsed.program);
  return {
    imports,
    exports,
    environmentLines,
    fetchLines,
    listeners: listeners.map(({ event, line, listener }) => ({
      event,
      line,
      isGuarded: isGuard(listener) || (isIdentifier(listener) && guardedNames.has(listener.name)),
    })),
    asyncGuardLines,
    replyHandlerLines,
    effects,
    logFields,
    syntaxError: parsed.errors[0]?.message,
  };
}

interface Collector {
  readonly add: (found: Pick<Import, "specifier"> & Partial<Import>, start: number) => void;
  readonly addEnvironment: (start: number) => void;
  readonly addFetch: (start: number) => void;
  readonly addListener: (event: string, listener: MaybeExpression, start: number) => void;
  /** Registers the name of a guarded listener. */
  readonly addGuarded: (name: string) => void;
  readonly addAsyncGuard: (start: number) => void;
  readonly addReplyHandler: (start: number) => void;
}

function visitStatements({ add, addEnvironment, addGuarded, addReplyHandler }: Collector): VisitorObject {
  return {
    ImportDeclaration({ source, importKind, specifiers, start }) {
      const names = importedNames(specifiers);
      const typeNames = specifiers.flatMap((entry) =>
        entry.type === "ImportSpecifier" && entry.importKind === "type" ? [nameOf(entry.imported)] : [],
      );
      add({ specifier: source.value, typeOnly: importKind === "type", names, typeNames }, start);
      if (/^(?:node:)?process$/.test(source.value) && names.includes("env")) addEnvironment(start);
    },
    ExportNamedDeclaration({ source, exportKind, specifiers, start }) {
      if (source === null) return;
      const names = specifiers.flatMap((entry) => (entry.exportKind === "type" ? [] : [nameOf(entry.local)]));
      add({ specifier: source.value, typeOnly: exportKind === "type", names }, start);
    },
    ExportAllDeclaration({ source, exportKind, start }) {
      add({ specifier: source.value, typeOnly: exportKind === "type" }, start);
    },
    TSExternalModuleReference({ expression, start }) {
      add({ specifier: expression.value, form: "require" }, start);
    },
    TSImportType({ source, start }) {
      add({ specifier: source.value, typeOnly: true }, start);
    },
    ClassDeclaration({ implements: contracts, start }) {
      const takesReplies = contracts?.some(({ expression }) => /\bDispatchHandler$/.test(lastName(expression)));
      if (takesReplies === true) addReplyHandler(start);
    },
    VariableDeclarator({ id, init, start }) {
      if (id.type === "Identifier" && isGuard(init)) addGuarded(id.name);
      if (id.type !== "ObjectPattern" || !isNamed(init, "process")) return;
      const takesEnv = id.properties.some((entry) => entry.type === "Property" && isNamed(entry.key, "env"));
      if (takesEnv) addEnvironment(start);
    },
  };
}

const attaching: ReadonlySet<string> = new Set([
  "on",
  "once",
  "addListener",
  "prependListener",
  "prependOnceListener",
  "addEventListener",
]);

function visitExpressions({ add, addEnvironment, addFetch, addListener, addAsyncGuard }: Collector): VisitorObject {
  return {
    ImportExpression({ source, start }) {
      const specifier = literalOf(source);
      if (specifier !== undefined) add({ specifier }, start);
    },
    CallExpression({ callee, arguments: [first, second], start }) {
      if (callee.type === "Identifier" && callee.name === "fetch") addFetch(start);
      if (callee.type === "Identifier" && callee.name === "guarded" && isAsync(first)) addAsyncGuard(start);
      if (callee.type === "MemberExpression" && attaching.has(memberName(callee) ?? "") && second !== undefined) {
        for (const event of eventsOf(first)) addListener(event, second, callee.property.start);
      }
      const task = isNamed(callee, "taskModule") && isImportMeta(first) ? literalOf(second) : undefined;
      if (task !== undefined) add({ specifier: `${task}.ts`, form: "path" }, start);
      const specifier = literalOf(first);
      if (specifier === undefined) return;
      if (isNamed(callee, "require") || isModuleResolve(callee)) add({ specifier, form: "require" }, start);
    },
    NewExpression({ callee, arguments: [first, base], start }) {
      const specifier = literalOf(first);
      if (specifier === undefined || !isNamed(callee, "URL") || !isImportMeta(base)) return;
      if (specifier.startsWith(".")) add({ specifier, form: "path" }, start);
    },
    MemberExpression(member) {
      if (memberName(member) === "env" && isNamed(member.object, "process")) addEnvironment(member.start);
    },
  };
}

/** A module imported for its effects, or as a namespace, is imported whole. */
function importedNames(specifiers: ImportDeclaration["specifiers"]): readonly string[] | "all" {
  const names: string[] = [];
  for (const entry of specifiers) {
    if (entry.type === "ImportNamespaceSpecifier") return "all";
    if (entry.type === "ImportDefaultSpecifier") names.push("default");
    else if (entry.importKind !== "type") names.push(nameOf(entry.imported));
  }
  return specifiers.length === 0 ? "all" : names;
}

type MaybeExpression = Expression | Argument | { readonly type: string } | null | undefined;

/** `name`, or `anything.name`. */
function isNamed(expression: MaybeExpression, name: string): boolean {
  const node = expression as Expression | null | undefined;
  if (node?.type === "Identifier") return node.name === name;
  return node?.type === "MemberExpression" && memberName(node) === name;
}

function memberName(member: MemberExpression): string | undefined {
  if (member.computed) return literalOf(member.property);
  return member.property.type === "Identifier" ? member.property.name : undefined;
}

/** Possible names of an expression, including both of a choice: `isTls ? "secureConnection" : "connection"`. */
function eventsOf(expression: MaybeExpression): readonly string[] {
  const node = expression as Expression | null | undefined;
  if (node?.type === "ConditionalExpression") return [...eventsOf(node.consequent), ...eventsOf(node.alternate)];
  const event = literalOf(node);
  return event === undefined ? [] : [event];
}

/** `guarded(…)`. */
function isGuard(expression: MaybeExpression): boolean {
  const node = expression as Expression | null | undefined;
  return node?.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "guarded";
}

function isAsync(expression: MaybeExpression): boolean {
  const node = expression as Expression | null | undefined;
  return (node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression") && node.async;
}

function isIdentifier(
  expression: MaybeExpression,
): expression is { readonly type: "Identifier"; readonly name: string } {
  return expression?.type === "Identifier";
}

/** `C` of `A.B.C`. */
function lastName(expression: { readonly type: string }): string {
  const node = expression as {
    readonly name?: string;
    readonly right?: { readonly name?: string };
    readonly property?: { readonly name?: string };
  };
  return node.name ?? node.right?.name ?? node.property?.name ?? "";
}

/** `require.resolve`, `createRequire(…).resolve` and `import.meta.resolve`, but not `path.resolve` or `Promise.resolve`. */
function isModuleResolve(callee: Expression): boolean {
  if (callee.type !== "MemberExpression" || memberName(callee) !== "resolve") return false;
  const { object } = callee;
  if (object.type === "MetaProperty" || isNamed(object, "require")) return true;
  return object.type === "CallExpression" && isNamed(object.callee, "createRequire");
}

function isImportMeta(expression: MaybeExpression): boolean {
  const node = expression as Expression | undefined;
  return node?.type === "MemberExpression" && node.object.type === "MetaProperty";
}

function literalOf(expression: MaybeExpression): string | undefined {
  const node = expression as Expression | null | undefined;
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

function nameOf(name: { readonly type: string }): string {
  const node = name as { readonly name?: string; readonly value?: string };
  return node.name ?? node.value ?? "";
}

function createLineFinder(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    // Visits are nearly always in the order of the text; a step back restarts.
    if (offset < at) [line, at] = [1, 0];
    for (; at < offset; at++) if (text.charCodeAt(at) === 10) line++;
    return line;
  };
}
