import { rounded } from "@gatehouse/json/typed";
import { type JsonSchema, typesOf } from "../../api/json-schema.ts";
import { formatCount } from "../format.ts";
import { Unreadable } from "./unreadable.ts";

/** Digits, or groups of three with spaces, as the console shows them; a decimal point; an exponent. */
const form = /^([+-]?)(\d+|\d{1,3}(?:[ \u00A0\u202F]\d{3})+)?(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const spaces = /[ \u00A0\u202F]/g;
/** Characters of the input in a message. */
const shownLengthMax = 40;

type Bounds = Pick<
  JsonSchema,
  "type" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "decimalsMax"
>;

/**
 * Parses a typed number. Refuses other text, values out of the schema's bounds, and numbers that would be rounded. Refuses commas
 * as well, which are decimal points to some people and thousands separators to others.
 * @returns undefined for empty text
 */
export function readNumber(text: string, schema: Bounds): number | Unreadable | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  const written = jsonNumberOf(typed);
  if (written === undefined) return new Unreadable(text, notNumber(typed));
  const value = Number(written);
  const problem = boundsProblem(value, schema) ?? roundedProblem(written) ?? decimalsProblem(value, schema);
  return problem === undefined ? value : new Unreadable(text, problem);
}

/** A typed number in JSON syntax; undefined for other text. */
function jsonNumberOf(typed: string): string | undefined {
  const [whole, sign = "", digits = "", fraction = "", exponent] = form.exec(typed) ?? [];
  if (whole === undefined || digits + fraction === "") return undefined;
  const before = digits === "" ? "0" : digits.replaceAll(spaces, "");
  const after = fraction === "" ? "" : `.${fraction}`;
  return `${sign === "-" ? "-" : ""}${before}${after}${exponent === undefined ? "" : `e${exponent}`}`;
}

function notNumber(typed: string): string {
  if (/^[\d., +-]*,[\d., +-]*$/.test(typed)) return "Write a decimal point as a point, and thousands without a comma.";
  return "This is not a number.";
}

function boundsProblem(value: number, schema: Bounds): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const types = typesOf(schema);
  const isLow =
    (minimum !== undefined && value < minimum) || (exclusiveMinimum !== undefined && value <= exclusiveMinimum);
  const isHigh =
    (maximum !== undefined && value > maximum) || (exclusiveMaximum !== undefined && value >= exclusiveMaximum);
  if (isLow || isHigh) return wordsOfBounds(schema);
  const isWhole = types.includes("integer") && !types.includes("number");
  return isWhole && !Number.isInteger(value) && Number.isFinite(value) ? "This must be a whole number." : undefined;
}

/** By value, as the gateway checks it: `1.50000000` has one decimal. */
function decimalsProblem(value: number, { decimalsMax }: Bounds): string | undefined {
  if (decimalsMax === undefined || Number(value.toFixed(decimalsMax)) === value) return undefined;
  return `This must have at most ${decimalsMax} decimals.`;
}

function wordsOfBounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Bounds): string {
  const bounds = [
    minimum !== undefined && `at least ${shown(minimum)}`,
    exclusiveMinimum !== undefined && `more than ${shown(exclusiveMinimum)}`,
    maximum !== undefined && `at most ${shown(maximum)}`,
    exclusiveMaximum !== undefined && `less than ${shown(exclusiveMaximum)}`,
  ];
  return `This must be ${bounds.filter((words) => words !== false).join(" and ")}.`;
}

function shown(bound: number): string {
  return Number.isSafeInteger(bound) && bound >= 0 ? formatCount(bound) : String(bound);
}

function roundedProblem(written: string): string | undefined {
  const kept = rounded(written);
  return kept === undefined ? undefined : wordsOfRounded(written, kept);
}

/** Message for a number that would be rounded. */
export function wordsOfRounded(written: string, kept: string): string {
  const named = written.length > shownLengthMax ? `${written.slice(0, shownLengthMax)}…` : written;
  return kept.endsWith("Infinity")
    ? `${named} is too large.`
    : `${named} cannot be kept exactly: it would become ${kept}.`;
}
