import { type Placeholder, placeholderForm } from "./placeholder.ts";

/** Values of a call's placeholders, to restore them for the caller. */
export class PlaceholderValues {
  /** Placeholders with a value, in order of issue. */
  readonly entries: readonly Placeholder[];
  readonly #values: ReadonlyMap<string, string>;

  /** @param placeholders reserved ones have an empty value, and are not restored */
  constructor(placeholders: readonly Placeholder[]) {
    this.entries = placeholders.filter(({ value }) => value !== "");
    this.#values = new Map(this.entries.map(({ label, value }) => [label.toLowerCase(), value]));
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** @param isJson whether the text is JSON with placeholders in its strings, such as a tool's arguments */
  restore(text: string, isJson: boolean): string {
    return text.replaceAll(placeholderForm, (whole, label: string) => {
      const value = this.#values.get(label.toLowerCase());
      if (value === undefined) return whole;
      return isJson ? JSON.stringify(value).slice(1, -1) : value;
    });
  }

  /** Replaces values by their labels in a stored answer, since a model may write a value itself. A value inside a longer word stays. */
  hide(text: string): string {
    // Longer ones first, since one value may contain another.
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

/** Whether a word continues beyond the ends of a range. Letters without case belong to scripts that do not separate words. */
function isWithinWord(text: string, start: number, end: number): boolean {
  const goesOn = (at: number): boolean => isInWord(text.at(at - 1)) && isInWord(text[at]);
  return (start > 0 && goesOn(start)) || goesOn(end);
}

function isInWord(char = ""): boolean {
  return /[\p{Ll}\p{Lu}\p{Nd}]/u.test(char);
}

/** Characters of an answer that show whether it is structured output. */
export const structuredBeginningLength = 64;

/**
 * Whether an answer's beginning is that of structured output: a JSON object, or a list of objects or strings. Narrower than JSON,
 * since prose may begin with brackets too, and values are not escaped in prose.
 */
export function isStructuredOutput(beginning: string): boolean {
  return /^\s*(?:\{\s*"|\[\s*["{])/u.test(beginning.slice(0, structuredBeginningLength));
}
