import { type Placeholder, placeholderForm, placeholderName } from "@gatehouse/placeholders";
import type { MaskSpan } from "../text/mask-text.ts";

/** Values that one call, or one session, may have placeholders for; more are masked by their plain label. */
const placeholdersMax = 1_000;
/** UTF-16 units of a value that is remembered; a longer one is masked by its plain label. */
const valueLengthMax = 1_000;

const nameable = new RegExp(`^${placeholderName.source}$`, "u");

/** Placeholders that a caller has written in one request; with more, which no honest one has, masks have their plain labels. */
const writtenMax = 10_000;
/** Numbers beyond are given out only where those below are taken: a caller who writes one must not use them up. */
const countMax = 100_000;

/**
 * Numbers the values of a call, so that a model can tell them apart and its answer can name them. Equal values have one number. A
 * placeholder that stands in the caller's texts is not given to a value: who wrote it would be shown the value.
 */
export class Placeholders {
  readonly #labels = new Map<string, string>();
  /** Numbers given out last, by kind. */
  readonly #counts = new Map<string, number>();
  /** Labels that stand for something else, in lower case, since answers are searched in any case. */
  readonly #taken = new Set<string>();
  readonly #texts: readonly { readonly text: string }[];
  /** Undefined until a value needs a new label. */
  #hasRoom: boolean | undefined;

  /**
   * @param known those of the session so far; one without a value is only taken.
   * @param texts all of the request's
   */
  constructor(known: readonly Placeholder[], texts: readonly { readonly text: string }[]) {
    this.#texts = texts;
    for (const { label, value } of known) {
      this.#taken.add(label.toLowerCase());
      const [, kind = label, digits = "0"] = /^(.*) (\d{1,9})$/su.exec(label) ?? [];
      const counted = kind.toLowerCase();
      const number = Number(digits) > countMax ? 0 : Number(digits);
      this.#counts.set(counted, Math.max(this.#counts.get(counted) ?? 0, number));
      if (value !== "") this.#labels.set(keyOf(kind, value), label);
    }
  }

  /** The span with the label of its value. */
  number(span: MaskSpan, value: string): MaskSpan {
    if (!nameable.test(span.label)) return span;
    const key = keyOf(span.label, value);
    const known = this.#labels.get(key);
    if (known !== undefined) return { ...span, label: known };
    if (this.#labels.size >= placeholdersMax || value.length > valueLengthMax) return span;
    this.#hasRoom ??= this.#takeWritten();
    if (!this.#hasRoom) return span;
    const label = this.#nextLabel(span.label);
    this.#labels.set(key, label);
    return { ...span, label };
  }

  /** Takes the labels in the caller's texts; false where there are too many. */
  #takeWritten(): boolean {
    let written = 0;
    for (const { text } of this.#texts) {
      for (const [, label = ""] of text.matchAll(placeholderForm)) {
        written += 1;
        if (written > writtenMax) return false;
        this.#taken.add(label.toLowerCase());
      }
    }
    return true;
  }

  #nextLabel(kind: string): string {
    const counted = kind.toLowerCase();
    let number = (this.#counts.get(counted) ?? 0) + 1;
    while (this.#taken.has(`${counted} ${number}`)) number += 1;
    this.#counts.set(counted, number);
    return `${kind} ${number}`;
  }

  list(): readonly Placeholder[] {
    return [...this.#labels].map(([key, label]) => ({ label, value: key.slice(key.indexOf("\0") + 1) }));
  }
}

/** Labels have no NUL. */
function keyOf(label: string, value: string): string {
  return `${label}\0${value}`;
}
