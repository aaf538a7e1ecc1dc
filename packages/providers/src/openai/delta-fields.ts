import { asRecord } from "../exchange/json.ts";
import type { CompletionChunk, CompletionChunkChoice, CompletionDelta } from "../forms/completion.ts";
import { isIndex } from "./parse-completion.ts";

/**
 * Fills in what compatible servers leave out of a stream's deltas and OpenAI's clients need: the role in the first delta of each
 * choice, and the `index` by which parts of a tool call are joined.
 */
export class DeltaFields {
  readonly #choices = new Map<number, ChoiceFields>();

  /** Number of choices so far. */
  get choices(): number {
    return this.#choices.size;
  }

  /** The chunk itself where nothing is missing. */
  complete(chunk: CompletionChunk): CompletionChunk {
    const choices = chunk.choices.map((choice) => this.#completeChoice(choice));
    return choices.every((choice, place) => choice === chunk.choices[place]) ? chunk : { ...chunk, choices };
  }

  #completeChoice(choice: CompletionChunkChoice): CompletionChunkChoice {
    const known = this.#choices.get(choice.index);
    const fields = known ?? new ChoiceFields();
    if (known === undefined) this.#choices.set(choice.index, fields);
    const delta = fields.withIndexes(choice.delta);
    if (known === undefined && typeof delta.role !== "string") {
      return { ...choice, delta: { ...delta, role: "assistant" } };
    }
    return delta === choice.delta ? choice : { ...choice, delta };
  }
}

type ToolCallPart = Readonly<Record<string, unknown>>;

class ChoiceFields {
  readonly #indexes = new Map<string, number>();
  #last = -1;
  #highest = -1;

  withIndexes(delta: CompletionDelta): CompletionDelta {
    const calls: unknown = delta["tool_calls"];
    if (!Array.isArray(calls)) return delta;
    const listed = calls.map((call: unknown) => this.#withIndex(call));
    return listed.every((call, place) => call === calls[place]) ? delta : { ...delta, tool_calls: listed };
  }

  #withIndex(call: unknown): unknown {
    const part = asRecord(call);
    if (part === undefined) return call;
    const { index: given, id } = part;
    const index = isIndex(given) ? given : this.#indexOf(part);
    if (typeof id === "string" && id !== "") this.#indexes.set(id, index);
    this.#last = index;
    this.#highest = Math.max(this.#highest, index);
    return index === given ? call : { ...part, index };
  }

  /** Index of the call with this id; a new one for a new id, or a name without id; else that of the part before. */
  #indexOf({ id, function: called }: ToolCallPart): number {
    const hasId = typeof id === "string" && id !== "";
    const known = hasId ? this.#indexes.get(id) : undefined;
    if (known !== undefined) return known;
    const name = asRecord(called)?.["name"];
    const isNew = hasId || this.#last < 0 || (typeof name === "string" && name !== "");
    return isNew ? this.#highest + 1 : this.#last;
  }
}
