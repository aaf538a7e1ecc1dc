import { isJsonObject, type JsonObject } from "@gatehouse/json";
import type { CompletionChunk, CompletionChunkChoice, CompletionDelta } from "@gatehouse/providers";
import { inputText, textFields } from "./message-texts.ts";

/** One of the parallel texts of a stream, such as the content of a choice or the arguments of a tool call. */
export interface StreamPlace {
  readonly choice: number;
  /** A field of the delta: for calls, their arguments, or their free input as `custom`; their names end with {@link ofName}. */
  readonly field: string;
  /** Index of the tool call in its choice. */
  readonly call: number;
}

/** End of the field of a tool's name. */
const ofName = ".name";

/** Whether the place is a tool's name, of which nothing may be held back: readers take it with the call's first piece. */
export function isNamePlace({ field }: StreamPlace): boolean {
  return field.endsWith(ofName);
}

/** A tool's name with its next piece. It may come in parts, or whole with every chunk. */
export function joinName(known: string, piece: string): string {
  return known === piece ? known : known + piece;
}

/** Key of a place in maps, unique within one stream. */
export function placeKey({ choice, field, call }: StreamPlace): string {
  return `${choice} ${field} ${call}`;
}

/** Fields of a message in the order in which its texts are judged. */
const fieldOrder: readonly (readonly string[])[] = [
  ...textFields.map((field) => [field]),
  [`tool_calls${ofName}`, "tool_calls", `custom${ofName}`, "custom"],
  [`function_call${ofName}`, "function_call"],
];

/** Order of the texts of a whole answer: by choice, field and call. */
export function comparePlaces(one: StreamPlace, other: StreamPlace): number {
  return (
    one.choice - other.choice || groupOf(one) - groupOf(other) || one.call - other.call || rankOf(one) - rankOf(other)
  );
}

function groupOf({ field }: StreamPlace): number {
  return fieldOrder.findIndex((group) => group.includes(field));
}

function rankOf(place: StreamPlace): number {
  return fieldOrder[groupOf(place)]?.indexOf(place.field) ?? 0;
}

/** Returns the replacement of the next piece of a text. */
type ReplacePiece = (place: StreamPlace, text: string) => Promise<string>;

/** Replaces the texts of a choice's delta, in a fixed order. Returns the same object where it has none. */
export async function replaceDelta(
  choice: CompletionChunkChoice,
  replace: ReplacePiece,
): Promise<CompletionChunkChoice> {
  const changed: Record<string, unknown> = {};
  for (const field of textFields) {
    const value = choice.delta[field];
    if (typeof value === "string") changed[field] = await replace(placeOf(choice, field), value);
    else if (Array.isArray(value)) changed[field] = await replaceParts(value, placeOf(choice, field), replace);
  }
  const { tool_calls: calls, function_call: call } = choice.delta;
  if (Array.isArray(calls)) changed["tool_calls"] = await replaceCalls(calls, choice, replace);
  if (isJsonObject(call))
    changed["function_call"] = await replaceCalled(call, "arguments", placeOf(choice, "function_call"), replace);
  return Object.keys(changed).length === 0 ? choice : { ...choice, delta: { ...choice.delta, ...changed } };
}

/** Tool names in a delta, with the places of their arguments. */
export function toolNamesIn(choice: CompletionChunkChoice): readonly (readonly [StreamPlace, string])[] {
  const { tool_calls: calls, function_call: call } = choice.delta;
  const called: (readonly [StreamPlace, unknown])[] = [[placeOf(choice, "function_call"), call]];
  for (const [position, entry] of (Array.isArray(calls) ? (calls as readonly unknown[]) : []).entries()) {
    if (!isJsonObject(entry)) continue;
    const index = callIndexOf(entry, position);
    called.push([placeOf(choice, "tool_calls", index), entry["function"]]);
    called.push([placeOf(choice, "custom", index), entry["custom"]]);
  }
  return called.flatMap(([place, given]) => {
    const name = isJsonObject(given) ? given["name"] : undefined;
    return typeof name === "string" ? [[place, name] as const] : [];
  });
}

/** A chunk with the rest of a text, in the form of the chunks before it. */
export function restChunk(head: CompletionChunk, { choice, field, call }: StreamPlace, text: string): CompletionChunk {
  const delta: CompletionDelta =
    field === "tool_calls"
      ? { tool_calls: [{ index: call, function: { arguments: text } }] }
      : field === "custom"
        ? { tool_calls: [{ index: call, custom: { input: text } }] }
        : field === "function_call"
          ? { function_call: { arguments: text } }
          : { [field]: text };
  const { id, model, created, object } = head;
  return { id, model, created, object, choices: [{ index: choice, delta, finish_reason: null }] };
}

/** Whether a choice of a chunk has neither text nor a finish reason left, so that it need not be sent. */
export function isEmptyDelta({ delta, finish_reason: reason }: CompletionChunkChoice): boolean {
  if (reason !== null && reason !== undefined) return false;
  return Object.entries(delta).every(([, value]) => value === "" || value === null || value === undefined);
}

function placeOf({ index }: CompletionChunkChoice, field: string, call = 0): StreamPlace {
  return { choice: index, field, call };
}

async function replaceParts(parts: readonly unknown[], place: StreamPlace, replace: ReplacePiece): Promise<unknown[]> {
  const replaced: unknown[] = [];
  for (const part of parts) {
    const text = isJsonObject(part) ? part["text"] : undefined;
    replaced.push(
      isJsonObject(part) && typeof text === "string" ? { ...part, text: await replace(place, text) } : part,
    );
  }
  return replaced;
}

async function replaceCalls(
  calls: readonly unknown[],
  choice: CompletionChunkChoice,
  replace: ReplacePiece,
): Promise<unknown[]> {
  const replaced: unknown[] = [];
  for (const [position, entry] of calls.entries()) {
    if (!isJsonObject(entry)) {
      replaced.push(entry);
      continue;
    }
    const { function: called, custom } = entry;
    const at = (field: string) => placeOf(choice, field, callIndexOf(entry, position));
    const changed: Record<string, unknown> = {};
    if (isJsonObject(called)) changed["function"] = await replaceCalled(called, "arguments", at("tool_calls"), replace);
    if (isJsonObject(custom)) changed["custom"] = await replaceCalled(custom, "input", at("custom"), replace);
    replaced.push({ ...entry, ...changed });
  }
  return replaced;
}

function callIndexOf({ index }: JsonObject, position: number): number {
  return typeof index === "number" ? index : position;
}

/** Some servers send arguments as a whole object: it is sent on as text where part of it was replaced or held back. */
// oxlint-disable-next-line max-params -- The call, its two places, and the function for both.
async function replaceCalled(
  called: JsonObject,
  field: "arguments" | "input",
  place: StreamPlace,
  replace: ReplacePiece,
): Promise<JsonObject> {
  const { [field]: input, name } = called;
  const changed: Record<string, unknown> = {};
  if (typeof name === "string") changed["name"] = await replace({ ...place, field: `${place.field}${ofName}` }, name);
  if (input !== undefined && input !== null) {
    const text = inputText(input);
    const shown = await replace(place, text);
    if (shown !== text) changed[field] = shown;
  }
  return { ...called, ...changed };
}
