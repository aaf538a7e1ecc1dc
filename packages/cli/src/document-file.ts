import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { LineCounter, parseDocument } from "yaml";
import { CliError } from "./cli-error.ts";
import type { Environment } from "./settings.ts";

const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * Parses a configuration document from YAML or JSON text. A value that is exactly `${NAME}` is taken from the environment, so
 * that secrets need not be in the file; an unset one stays, and the plan reports it where it is needed.
 * @throws CliError with the line.
 */
export function parseDocumentText(text: string, env: Environment): JsonObject {
  const value = fillReferences(parseYaml(text), (name) => env[name]);
  if (isJsonObject(value)) return value;
  throw new CliError("The document must be a mapping with version, providers and projects.", 2);
}

function parseYaml(text: string): unknown {
  try {
    const lineCounter = new LineCounter();
    // Pretty errors would scan the whole text for each error.
    const document = parseDocument(text, { logLevel: "silent", prettyErrors: false, lineCounter });
    // A YAML warning, such as an unknown tag, indicates an unintended value.
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) {
      const { line, col } = lineCounter.linePos(problem.pos[0]);
      throw new Error(`${problem.message} at line ${line}, column ${col}`);
    }
    return document.toJS() as unknown;
  } catch (err) {
    throw new CliError(`The document is not valid YAML: ${err instanceof Error ? err.message : "unknown"}`, 2);
  }
}

/** A document's value with its references (`${NAME}`) filled; those unknown to `valueOf` stay. */
export function fillReferences(value: unknown, valueOf: (name: string) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((member) => fillReferences(member, valueOf));
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillReferences(member, valueOf)]));
  }
  const name = typeof value === "string" ? reference.exec(value)?.[1] : undefined;
  return name === undefined ? value : (valueOf(name) ?? value);
}
