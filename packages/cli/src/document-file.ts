import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { type Document, LineCounter, parseDocument, stringify, visit } from "yaml";
import { CliError } from "./cli-error.ts";
import { fillSecrets } from "./document-secrets.ts";
import type { Environment } from "./settings.ts";

/**
 * Parses a configuration document from YAML or JSON text. A secret that is exactly `${NAME}` is taken from the environment, so
 * that secrets need not be in the file; an unset one stays, and the plan reports it where it is needed.
 * @throws CliError with the line.
 */
export function parseDocumentText(text: string, env: Environment): JsonObject {
  const value = parseYaml(text);
  if (isJsonObject(value)) return fillSecrets(value, (name) => env[name]);
  throw new CliError("The document must be a mapping with version, providers and projects.", 2);
}

/**
 * The document as YAML text. Texts that YAML 1.1 takes for something else (`off`, `no`, `12:30:45`) are quoted, so that a program
 * that still reads that version passes them on unchanged.
 */
export function formatDocument(document: unknown): string {
  return stringify(document, { compat: "yaml-1.1" });
}

function parseYaml(text: string): unknown {
  try {
    const lineCounter = new LineCounter();
    // Pretty errors would scan the whole text for each error. With logLevel "silent", further documents would be no error.
    const document = parseDocument(text, { merge: true, logLevel: "error", prettyErrors: false, lineCounter });
    // A YAML warning, such as an unknown tag, indicates an unintended value.
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) {
      const { line, col } = lineCounter.linePos(problem.pos[0]);
      throw new Error(`${problem.code === "MULTIPLE_DOCS" ? several : problem.message} at line ${line}, column ${col}`);
    }
    const inexact = findInexact(document);
    if (inexact !== undefined) {
      const { line, col } = lineCounter.linePos(inexact.offset);
      throw new Error(`${inexact.source} is no number that can be sent as it is at line ${line}, column ${col}`);
    }
    return document.toJS() as unknown;
  } catch (err) {
    throw new CliError(`The document is not valid YAML: ${err instanceof Error ? err.message : "unknown"}`, 2);
  }
}

/** A number that JSON has not, which would be sent as null and so remove a limit, or an integer that would be rounded. */
function findInexact(document: Document): { readonly source: string; readonly offset: number } | undefined {
  let found: { readonly source: string; readonly offset: number } | undefined;
  visit(document, {
    Scalar(_key, { value, source = "", range }) {
      if (typeof value !== "number") return undefined;
      const isInteger = /^[-+]?(?:\d+|0o[0-7]+|0x[\da-f]+)$/i.test(source);
      if (Number.isFinite(value) && (!isInteger || Number.isSafeInteger(value))) return undefined;
      found = { source, offset: range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return found;
}

const several = "the file has several documents; apply each as a file. The second begins";
