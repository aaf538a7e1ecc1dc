import { toLabel } from "../format.ts";

/** A refusal of the Control Plane: the place that it is about, from the argument inwards, and its words without that place. */
export interface Refusal {
  /** Members by name, entries of lists by their index. */
  readonly path: readonly string[];
  readonly words: string;
}

/** `name must not be empty`, `Missing required argument: rules[0].name`, `Invalid guardrail policy: pii.mode is…`, `Invalid mode: 'x'`. */
const shape =
  /^(?:(Missing) [a-z ]*argument: |[A-Z][a-z]+ (?:[a-z]+ )?(?:argument|policy): |Invalid )?'?([a-z_]+)((?:\[\d+\]|\.\w+)*)'?/;

/** Reads the place out of a message; undefined where it names none. */
export function refusalOf(message: string): Refusal | undefined {
  const [whole, missing, argument, rest = ""] = shape.exec(message) ?? [];
  if (whole === undefined || argument === undefined) return undefined;
  const path = [argument, ...(rest.match(/\w+/g) ?? [])];
  if (path.length === 1) return { path, words: message };
  if (missing !== undefined) return { path, words: "This is required." };
  const said = message.slice(whole.length).trim();
  return { path, words: /^[a-z]/.test(said) ? capitalised(said) : message };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A refusal, as far as it is about one field. */
export interface FieldRefusal {
  readonly error: string | undefined;
  /** The way from the field's value to the one that is refused; empty or absent where that is the field's own. */
  readonly errorPath?: readonly string[] | undefined;
}

/** Refusal of a member or an entry of a field's value: nothing where the refusal is about another one, or about the whole. */
export function refusalWithin({ error, errorPath = [] }: FieldRefusal, step: string): FieldRefusal {
  const [next, ...rest] = errorPath;
  return next === step ? { error, errorPath: rest } : { error: undefined };
}

/** The words that a field of several parts shows itself: those about none of its parts. */
export function ownRefusal({ error, errorPath = [] }: FieldRefusal, parts: readonly string[]): string | undefined {
  const [next] = errorPath;
  return next !== undefined && parts.includes(next) ? undefined : error;
}

/** Refusal of a field that shows its value as a whole: the words with the part of it that they are about. */
export function placedRefusal({ error, errorPath = [] }: FieldRefusal): string | undefined {
  if (error === undefined || errorPath.length === 0) return error;
  const places = errorPath.map((step) => (/^\d+$/.test(step) ? `Entry ${Number(step) + 1}` : toLabel(step)));
  return `${places.join(", ")}: ${error}`;
}
