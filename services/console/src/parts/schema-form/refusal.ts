import { CallError } from "../../api/call-error.ts";
import { toLabel } from "../format.ts";

/** A refusal of the Control Plane: its path, starting with the argument, and the message without it. */
export interface Refusal {
  /** Members by name, list entries by index. */
  readonly path: readonly string[];
  readonly words: string;
}

/** `name must not be empty`, `Missing required argument: rules[0].name`, `Invalid guardrail policy: pii.mode is…`, `Invalid mode: 'x'`. */
const shape =
  /^(?:(Missing) [a-z ]*argument: |[A-Z][a-z]+ (?:[a-z]+ )?(?:argument|policy): |Invalid )?'?([a-z_]+)((?:\[\d+\]|\.\w+)*)'?/;

/** The argument that an error names, in its data or in its message; undefined: none. */
export function refusalOf(err: Error): Refusal | undefined {
  const { message } = err;
  if (err instanceof CallError && err.argument !== undefined) {
    return { path: err.argument.match(/\w+/g) ?? [], words: message };
  }
  return refusalInWords(message);
}

function refusalInWords(message: string): Refusal | undefined {
  const [whole, missing, argument, rest = ""] = shape.exec(message) ?? [];
  if (whole === undefined || argument === undefined) return undefined;
  const path = [argument, ...(rest.match(/\w+/g) ?? [])];
  if (missing !== undefined) return { path, words: "This is required." };
  if (path.length === 1) return { path, words: message };
  const said = message.slice(whole.length).trim();
  return { path, words: /^[a-z]/.test(said) ? capitalised(said) : message };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The part of a refusal that concerns one field. */
export interface FieldRefusal {
  readonly error: string | undefined;
  /** Path from the field's value to the refused part; empty or absent: the field itself. */
  readonly errorPath?: readonly string[] | undefined;
}

/** Refusal of a member or an entry of a field's value; empty where it concerns another part or the whole. */
export function refusalWithin({ error, errorPath = [] }: FieldRefusal, step: string): FieldRefusal {
  const [next, ...rest] = errorPath;
  return next === step ? { error, errorPath: rest } : { error: undefined };
}

/** Error of a field with several parts that concerns none of them. */
export function ownRefusal({ error, errorPath = [] }: FieldRefusal, parts: readonly string[]): string | undefined {
  const [next] = errorPath;
  return next !== undefined && parts.includes(next) ? undefined : error;
}

/** Error of a field that shows its value as a whole, with the path of the refused part. */
export function placedRefusal({ error, errorPath = [] }: FieldRefusal): string | undefined {
  if (error === undefined || errorPath.length === 0) return error;
  const places = errorPath.map((step) => (/^\d+$/.test(step) ? `Entry ${Number(step) + 1}` : toLabel(step)));
  return `${places.join(", ")}: ${error}`;
}
