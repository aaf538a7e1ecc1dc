import type { MaskSpan } from "../text/mask-text.ts";

/** Values that one call, or one session, may have placeholders for; more are masked by their plain label. */
const placeholdersMax = 1_000;
/** UTF-16 units of a value that is remembered; a longer one is masked by its plain label. */
const valueLengthMax = 1_000;

/** Labels that a model can be expected to repeat, and that an answer is searched for. */
const nameable = /^[^[\]\n]{1,50}$/u;

/** The stand-in for a value in a masked text. */
export interface Placeholder {
  /** Without brackets: `E-Mail 1`. */
  readonly label: string;
  readonly value: string;
}

/** Numbers the values of a call, so that a model can tell them apart and its answer can name them. Equal values have one number. */
export class Placeholders {
  readonly #labels = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** @param known those of the session so far. */
  constructor(known: readonly Placeholder[]) {
    for (const { label, value } of known) {
      const [, kind = label, number = "0"] = /^(.*) (\d{1,9})$/su.exec(label) ?? [];
      this.#labels.set(keyOf(kind, value), label);
      this.#counts.set(kind, Math.max(this.#counts.get(kind) ?? 0, Number(number)));
    }
  }

  /** The span with the label of its value. */
  number<Span extends MaskSpan>(span: Span, text: string): Span {
    if (!nameable.test(span.label)) return span;
    const value = text.slice(span.start, span.end);
    const key = keyOf(span.label, value);
    const known = this.#labels.get(key);
    if (known !== undefined) return { ...span, label: known };
    if (this.#labels.size >= placeholdersMax || value.length > valueLengthMax) return span;
    const number = (this.#counts.get(span.label) ?? 0) + 1;
    const label = `${span.label} ${number}`;
    this.#counts.set(span.label, number);
    this.#labels.set(key, label);
    return { ...span, label };
  }

  list(): readonly Placeholder[] {
    return [...this.#labels].map(([key, label]) => ({ label, value: key.slice(key.indexOf("\0") + 1) }));
  }
}

/** Labels have no NUL. */
function keyOf(label: string, value: string): string {
  return `${label}\0${value}`;
}
