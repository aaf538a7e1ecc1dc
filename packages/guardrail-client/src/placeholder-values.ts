import type { Placeholder } from "./guardrail-client.ts";

/** A placeholder as a masked text, or a model's answer, has it. The guardrails give out no longer labels. */
export const placeholderForm = /\[([^[\]\n]{1,50} \d{1,9})\]/gu;

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
    return text.replaceAll(placeholderForm, (whole, label: string) => {
      const value = this.#values.get(label.toLowerCase());
      if (value === undefined) return whole;
      return isJson ? JSON.stringify(value).slice(1, -1) : value;
    });
  }

  /** Replaces values by their labels, for a stored answer: a model may have written a value itself. One inside a longer word stays. */
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

/** Characters of an answer that tell whether it is a structured output. */
export const structuredBeginningLength = 64;

/**
 * Whether an answer that begins so is a structured output: JSON of an object, or of a list of objects or strings. Narrower than what may
 * be JSON, since prose begins with brackets too, and there a value is put back as it is, not escaped.
 */
export function isStructuredOutput(beginning: string): boolean {
  return /^\s*(?:\{\s*"|\[\s*["{])/u.test(beginning.slice(0, structuredBeginningLength));
}
