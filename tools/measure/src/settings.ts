import type { TextFile } from "./tree.ts";

/** A setting requested by a configuration reader. */
interface Setting {
  readonly name: string;
  readonly path: string;
  /** Literal default of an integer. */
  readonly fallback: string | undefined;
}

const settingName = /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|PORT|HOST)$/;
/** A name, and the default where it is a number or a product of numbers and constants of the file. */
const named = /(\(env, )?"([A-Z][A-Z0-9_]*)"(?:,\s*(?:\{\s*default: )?(\w+(?: \* \w+)*)\b)?/g;
const suffix = /`\$\{\w+\}(_[A-Z_]+)`/g;

/** A service whose settings are read by its name. */
const namedService = /\(env, "([a-z][a-z-]*)"\)/g;
const ownersList = /\boperationOwners = \[([^\]]*)\]/;

/** Names in `operationOwners`, from the file that declares it. */
export function readOperationOwners({ text }: TextFile): readonly string[] {
  return [...(ownersList.exec(text)?.[1] ?? "").matchAll(/"([a-z-]+)"/g)].flatMap(([, name]) => name ?? []);
}

/**
 * Settings that a file names, in order; a reader of several settings of one prefix counts for each, and one that derives prefixes
 * from the names of services (`settingPrefix`) for each service.
 */
export function findSettings({ path, text }: TextFile, owners: readonly string[] = []): readonly Setting[] {
  const suffixes = [...text.matchAll(suffix)].flatMap(([, ending]) => ending ?? []);
  const ofServices = servicesIn(text, owners).flatMap((service) => {
    const prefix = service.toUpperCase().replaceAll("-", "_");
    return suffixes.map((ending) => ({ name: prefix + ending, path, fallback: undefined }));
  });
  const written = [...text.matchAll(named)].flatMap(([, handed, name = "", product]) => {
    const isPrefix = handed !== undefined && suffixes.length > 0;
    const names = isPrefix ? suffixes.map((ending) => name + ending) : [name];
    // A number beside a prefix belongs to the reader, for example a port.
    const fallback = product === undefined || isPrefix ? undefined : evaluate(product, text);
    return names.filter((each) => settingName.test(each)).map((each) => ({ name: each, path, fallback }));
  });
  return [...written, ...ofServices];
}

function servicesIn(text: string, owners: readonly string[]): readonly string[] {
  if (!text.includes("settingPrefix(")) return [];
  const single = [...text.matchAll(namedService)].flatMap(([, name]) => name ?? []);
  return text.includes("operationOwners") ? [...owners, ...single] : single;
}

/** Undefined where a factor is neither a number nor a constant of the file. */
function evaluate(product: string, text: string): string | undefined {
  const factors = product.split(" * ").map((factor) => {
    if (/^[\d_]+$/.test(factor)) return Number(factor.replaceAll("_", ""));
    const constant = new RegExp(`\\bconst ${factor} = (\\w+(?: \\* \\w+)*);`).exec(text)?.[1];
    return constant === undefined ? undefined : Number(evaluate(constant, text));
  });
  const value = factors.reduce<number | undefined>(
    (total, factor) => (total === undefined || factor === undefined ? undefined : total * factor),
    1,
  );
  return value === undefined || Number.isNaN(value) ? undefined : String(value);
}

/** A row of a table of settings: the names of its first cell, and its text. */
interface Row {
  readonly names: readonly string[];
  readonly text: string;
}

/** Settings that the page lacks, that have another default there, or that no reader requests. */
export function judgeSettings(settings: readonly Setting[], page: string): readonly string[] {
  const rows = readRows(page);
  const listed = new Set(rows.flatMap(({ names }) => names));
  const asked = new Set(settings.map(({ name }) => name));
  return [
    ...settings.flatMap((setting) => judge(setting, rows)),
    ...[...listed].filter((name) => !asked.has(name)).map((name) => `${name} is listed and no reader asks for it`),
  ];
}

function judge({ name, path, fallback }: Setting, rows: readonly Row[]): readonly string[] {
  const having = rows.filter(({ names }) => names.includes(name));
  if (having.length === 0) return [`${name} of ${path} is not listed`];
  const isGiven = fallback === undefined || having.some(({ text }) => text.includes(`\`${fallback}\``));
  return isGiven ? [] : [`${name} of ${path} has the default ${fallback}, which its row does not give`];
}

function readRows(page: string): readonly Row[] {
  return page.split("\n").flatMap((line) => {
    const cell = /^\| (`[A-Z].*?) \|/.exec(line)?.[1];
    if (cell === undefined) return [];
    const names = [...cell.matchAll(/`([A-Z0-9_]+)`/g)].flatMap(([, name]) => name ?? []);
    return [{ names: names.filter((name) => settingName.test(name)), text: line }];
  });
}
