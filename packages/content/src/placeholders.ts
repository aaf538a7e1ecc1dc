import type { ChatMessage } from "@gatehouse/providers";
import { textOf } from "@gatehouse/tokens";

/** Text that stands for a masked value in a call; the label has no brackets. */
export interface Placeholder {
  readonly label: string;
  readonly value: string;
}

/** A placeholder as a masked text, or a model's answer, has it. The guardrails give out no longer labels. */
const form = /\[([^[\]\n]{1,50} \d{1,9})\]/gu;
/** Characters of the longest placeholder, with its brackets. */
const placeholderLengthMax = 62;

/** The values of a call behind their placeholders, to put them back where the caller reads. */
export class PlaceholderValues {
  /** Placeholders with a value, in the order in which they were given out. */
  readonly entries: readonly Placeholder[];
  readonly #values: ReadonlyMap<string, string>;

  /** @param placeholders a reserved one has an empty value, and stays as it is. */
  constructor(placeholders: readonly Placeholder[]) {
    this.entries = placeholders.filter(({ value }) => value !== "");
    this.#values = new Map(this.entries.map(({ label, value }) => [label.toLowerCase(), value]));
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** @param isJson the text is JSON, such as a tool's arguments, and the placeholders stand in its strings. */
  restore(text: string, isJson: boolean): string {
    return text.replaceAll(form, (whole, label: string) => {
      const value = this.#values.get(label.toLowerCase());
      if (value === undefined) return whole;
      return isJson ? JSON.stringify(value).slice(1, -1) : value;
    });
  }

  /** Takes out values that a model has written by itself, for what is kept of an answer. A name within another word is none. */
  hide(text: string): string {
    // Longer ones come first, since one value may stand within another.
    const longestFirst = this.entries.toSorted((one, other) => other.value.length - one.value.length);
    let hidden = text;
    for (const { label, value } of longestFirst) {
      hidden = hidden.replaceAll(value, (found, at: number) =>
        isWithinWord(hidden, at, at + found.length) ? found : `[${label}]`,
      );
    }
    return hidden;
  }
}

/** Whether letters or digits go on at an end of a range. Letters without case are of scripts that part no words by blanks. */
function isWithinWord(text: string, start: number, end: number): boolean {
  const goesOn = (at: number): boolean => isInWord(text.at(at - 1)) && isInWord(text[at]);
  return (start > 0 && goesOn(start)) || goesOn(end);
}

function isInWord(char = ""): boolean {
  return /[\p{Ll}\p{Lu}\p{Nd}]/u.test(char);
}

/** Characters of an answer that tell whether it is JSON. */
export const jsonBeginningLength = 64;

/** Whether an answer that begins so is JSON, as structured outputs are: an object, or a list of objects or strings. */
export function beginsAsJson(beginning: string): boolean {
  return /^\s*(?:\{\s*"|\[\s*["{])/u.test(beginning.slice(0, jsonBeginningLength));
}

/** From where a text may become a placeholder with what comes next; its length where it cannot. */
export function openPlaceholder(text: string): number {
  const open = text.lastIndexOf("[");
  const isOpen = open >= 0 && text.length - open < placeholderLengthMax && !/[\]\n]/u.test(text.slice(open));
  return isOpen ? open : text.length;
}

/** Earlier part of a conversation. */
export interface Earlier {
  readonly history: readonly ChatMessage[];
  readonly placeholders: readonly Placeholder[];
}

/**
 * The placeholders of a session so far. Those of which no value is kept have an empty one: their numbers are not given to other
 * values.
 */
export function knownPlaceholders({ history, placeholders }: Earlier): readonly Placeholder[] {
  const labels = new Set<string>();
  for (const message of history) for (const [, label] of wordsOf(message).matchAll(form)) labels.add(label ?? "");
  for (const { label } of placeholders) labels.delete(label);
  return [...placeholders, ...[...labels].map((label) => ({ label, value: "" }))];
}

/** Everything that a message says, the arguments of its tool calls included. */
function wordsOf(message: ChatMessage): string {
  for (const name in message) if (name !== "role" && name !== "content") return JSON.stringify(message);
  return textOf(message.content);
}
