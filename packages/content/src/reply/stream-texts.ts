import { isJsonObject, type JsonObject } from "@gatehouse/json";
import type { CompletionChunk, CompletionChunkChoice, CompletionDelta } from "@gatehouse/providers";

/** Fields of a delta that people or models read as text. */
const textFields = ["content", "refusal", "reasoning_content", "reasoning"] as const;

/** One of the texts that a stream brings side by side, such as the content of a choice or the arguments of a tool call. */
export interface StreamPlace {
  readonly choice: number;
  /** A field of the delta; of calls, their arguments. */
  readonly field: string;
  /** Which of the choice's tool calls. */
  readonly call: number;
}

/** Names a place within its stream. */
export function placeKey({ choice, field, call }: StreamPlace): string {
  return `${choice} ${field} ${call}`;
}

/** Gives what is to stand in place of the next piece of a text. */
type ReplacePiece = (place: StreamPlace, text: string) => Promise<string>;

/** Replaces the texts of a choice's delta, in a fixed order. The same object where it has none. */
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
    changed["function_call"] = await replaceArguments(call, placeOf(choice, "function_call"), replace);
  return Object.keys(changed).length === 0 ? choice : { ...choice, delta: { ...choice.delta, ...changed } };
}

/** Names of tools that a delta brings, with the places of their arguments. */
export function toolNamesIn(choice: CompletionChunkChoice): readonly (readonly [StreamPlace, string])[] {
  const { tool_calls: calls, function_call: call } = choice.delta;
  const called: (readonly [StreamPlace, unknown])[] = [[placeOf(choice, "function_call"), call]];
  for (const [position, entry] of (Array.isArray(calls) ? (calls as readonly unknown[]) : []).entries()) {
    if (!isJsonObject(entry)) continue;
    called.push([placeOf(choice, "tool_calls", callIndexOf(entry, position)), entry["function"]]);
  }
  return called.flatMap(([place, given]) => {
    const name = isJsonObject(given) ? given["name"] : undefined;
    return typeof name === "string" ? [[place, name] as const] : [];
  });
}

/** A chunk that brings a text's rest, in the form of the chunks before it. */
export function restChunk(head: CompletionChunk, { choice, field, call }: StreamPlace, text: string): CompletionChunk {
  const delta: CompletionDelta =
    field === "tool_calls"
      ? { tool_calls: [{ index: call, function: { arguments: text } }] }
      : field === "function_call"
        ? { function_call: { arguments: text } }
        : { [field]: text };
  const { id, model, created, object } = head;
  return { id, model, created, object, choices: [{ index: choice, delta, finish_reason: null }] };
}

/** Whether a delta brings nothing any more. */
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
    const called = isJsonObject(entry) ? entry["function"] : undefined;
    if (!isJsonObject(entry) || !isJsonObject(called)) replaced.push(entry);
    else {
      const place = placeOf(choice, "tool_calls", callIndexOf(entry, position));
      replaced.push({ ...entry, function: await replaceArguments(called, place, replace) });
    }
  }
  return replaced;
}

function callIndexOf({ index }: JsonObject, position: number): number {
  return typeof index === "number" ? index : position;
}

async function replaceArguments(called: JsonObject, place: StreamPlace, replace: ReplacePiece): Promise<JsonObject> {
  const { arguments: input } = called;
  return typeof input === "string" ? { ...called, arguments: await replace(place, input) } : called;
}
