import { Pace, runInSlices } from "@gatehouse/pace";
import { checkKeysInSteps } from "./check-keys.ts";
import { type JsonBounds, jsonBounds } from "./json-bounds.ts";
import { sourceOfBytes, sourceOfText } from "./json-source.ts";
import { parsePieces, parseWhole } from "./parse-pieces.ts";
import { PiecePlan } from "./piece-plan.ts";
import { checkStructure, countMembers, isOverBounds } from "./scan-json.ts";
import { StructureReader } from "./structure-reader.ts";
import type { WrittenStrings } from "./written-strings.ts";

/** Parsed JSON object with unchecked members; {@link isJsonObject} recognises one. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object, not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Rule for keys in one object: `distinct` refuses equal keys, `unambiguous` also keys that differ in case only, `any` keeps the
 * last of equal keys, as JSON.parse does.
 */
export type KeyRule = "any" | "distinct" | "unambiguous";

/** Bounds and key rule of one parse; {@link jsonBounds} and `unambiguous` when absent. */
export interface ParseJsonOptions {
  readonly bounds?: JsonBounds;
  readonly keys?: KeyRule;
}

/** Options of a parse in steps. */
interface ParseInStepsOptions extends ParseJsonOptions {
  /** Takes the long strings of bytes that are parsed. */
  readonly written?: WrittenStrings | undefined;
}

/**
 * Parses untrusted JSON text in linear time: bounds are checked before a value is built, keys right after. The defaults are
 * {@link jsonBounds} and `unambiguous`. For texts that may be large use {@link parseJsonInSlices}.
 * @throws JsonRefusal with a message that is safe for the text's sender.
 */
export function parseJson(text: string, options: ParseJsonOptions = {}): unknown {
  const { bounds = jsonBounds, keys = "unambiguous" } = options;
  const members = countMembers(text, bounds);
  const value = parseWhole(text);
  if (keys !== "any") finish(checkKeysInSteps(value, members, keys === "unambiguous"));
  return value;
}

/** As {@link parseJson}, in slices of the event loop's time, for texts that may be large; bytes are valid UTF-8. */
export async function parseJsonInSlices(
  json: string | Buffer,
  options: ParseInStepsOptions = {},
  pace = new Pace(),
): Promise<unknown> {
  return await runInSlices(parseJsonInSteps(json, options), pace);
}

/**
 * Checks the bounds of a text without building its value, in slices of the event loop's time, before other code parses it in one
 * go. Does not check that the text is JSON.
 * @throws JsonRefusal of a text beyond them, or with open brackets
 */
export async function checkJsonInSlices(text: string, bounds: JsonBounds): Promise<void> {
  await runInSlices(checkJsonInSteps(text, bounds));
}

function* checkJsonInSteps(text: string, bounds: JsonBounds): Generator<void, void> {
  const reader = new StructureReader(text, bounds.depthMax);
  while (!reader.read(pieceLengthDefault)) {
    if (isOverBounds(reader.structure, bounds)) break;
    yield;
  }
  checkStructure(reader.structure, bounds);
}

/** Units of a text read or parsed in one step: a fraction of a millisecond. */
const pieceLengthDefault = 16 * 1_024;

/**
 * As {@link parseJson}, in steps of a fraction of a millisecond. No text within the bounds makes a step long: neither one string,
 * one object of many keys, nor many values. Bytes are valid UTF-8, and have the same result as their text.
 */
export function* parseJsonInSteps(
  json: string | Buffer,
  options: ParseInStepsOptions & { readonly pieceLength?: number } = {},
): Generator<void, unknown> {
  const { bounds = jsonBounds, keys = "unambiguous", pieceLength = pieceLengthDefault, written } = options;
  const source = typeof json === "string" ? sourceOfText(json) : sourceOfBytes(json);
  const plan = new PiecePlan(source.marks, pieceLength);
  const reader = new StructureReader(source.marks, bounds.depthMax, plan, source.unitsIn);
  while (!reader.read(pieceLength)) {
    // The rest is read only to decide whether it is JSON, without holding millions of open levels.
    if (isOverBounds(reader.structure, bounds)) reader.stopObserving();
    yield;
  }
  plan.end();
  checkStructure(reader.structure, bounds);
  yield;
  const value = yield* parsePieces({ source, pieceLength, written }, plan);
  if (keys !== "any") yield* checkKeysInSteps(value, reader.structure.members, keys === "unambiguous");
  return value;
}

function finish(steps: Generator<void, void>): void {
  while (steps.next().done !== true);
}
