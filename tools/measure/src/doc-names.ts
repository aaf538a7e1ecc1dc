import type { TextFile } from "./tree.ts";

interface UnknownName {
  readonly document: string;
  readonly name: string;
}

interface KnownNames {
  /** Operations of the Control Plane, such as `svc_list_tokens`. */
  readonly operations: ReadonlySet<string>;
  /** Scripts of all manifests, such as `test:unit`. */
  readonly scripts: ReadonlySet<string>;
}

const operation = /`(svc_[a-z_]+[a-z])`/g;
/** In code: after a mark, at a line's beginning, or after another command. */
const command = /(?:`|^|&& |; )pnpm ([a-z][a-z0-9:-]*)/gm;
/** Forms of a credential, and the example of a README. */
const otherNames = /^svc_(?:admin|live|test)$|^svc_create_thing$/;
/** Commands of pnpm itself, and a program that it starts. */
const builtIn: ReadonlySet<string> = new Set(["add", "approve", "exec", "install", "run", "vitest"]);

/** Operations and scripts in a document that do not exist. */
export function findUnknownNames({ path, text }: TextFile, known: KnownNames): readonly UnknownName[] {
  const operations = namesIn(text, operation).filter((name) => !known.operations.has(name) && !otherNames.test(name));
  const scripts = namesIn(text, command).filter((name) => !known.scripts.has(name) && !builtIn.has(name));
  return [...operations, ...scripts.map((name) => `pnpm ${name}`)].map((name) => ({ document: path, name }));
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name))];
}

/** Known names of a tree. @param operationsFile the command line's copy of `tools/list` */
export function readKnownNames(tree: readonly TextFile[], operationsFile: string): KnownNames {
  const text = tree.find(({ path }) => path === operationsFile)?.text ?? "[]";
  const manifests = tree.filter(({ path }) => /(?:^|\/)package\.json$/.test(path));
  const scripts = manifests.flatMap((file) => Object.keys((JSON.parse(file.text) as Manifest).scripts ?? {}));
  return { operations: new Set(namesIn(text, /"(svc_[a-z_]+)"/g)), scripts: new Set(scripts) };
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
}
