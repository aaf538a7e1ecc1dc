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
  readonly #values: ReadonlyMap<string, string>;
  readonly #placeholders: readonly Placeholder[];

  constructor(placeholders: readonly Placeholder[]) {
    // A reserved placeholder has no value here. Longer ones come first, since one value may stand within another.
    this.#placeholders = placeholders
      .filter(({ value }) => value !== "")
      .toSorted((one, other) => other.value.length - one.value.length);
    this.#values = new Map(this.#placeholders.map(({ label, value }) => [label.toLowerCase(), value]));
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

  /** Takes the values out again, for what is kept of an answer. */
  hide(text: string): string {
    let hidden = text;
    for (const { label, value } of this.#placeholders) hidden = hidden.replaceAll(value, () => `[${label}]`);
    return hidden;
  }
}

/** From where a text may become a placeholder with what comes next; its length where it cannot. */
export function openPlaceholder(text: string): number {
  const open = text.lastIndexOf("[");
  const isOpen = open >= 0 && text.length - open < placeholderLengthMax && !/[\]\n]/u.test(text.slice(open));
  return isOpen ? open : text.length;
}

/** The placeholders of a session so far: their numbers are not given to other values. */
export function reservedPlaceholders(history: readonly ChatMessage[]): readonly Placeholder[] {
  const labels = new Set<string>();
  for (const { content } of history) for (const [, label] of textOf(content).matchAll(form)) labels.add(label ?? "");
  return [...labels].map((label) => ({ label, value: "" }));
}
