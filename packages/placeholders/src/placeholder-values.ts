import { isInString, type JsonPlace, notJson, readJsonPiece } from "@gatehouse/json";
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

  /** The text with the values of its placeholders. Where it is JSON, such as the arguments of a tool, it is JSON afterwards, too. */
  restore(text: string): string {
    const { restored, rest } = this.#restore(text, "");
    return restored + rest;
  }

  /**
   * Restores the next piece of a text, which must not end in a placeholder.
   * @param place of the piece in the text's JSON; empty at the beginning
   */
  restorePiece(piece: string, place: JsonPlace): { readonly text: string; readonly place: JsonPlace } {
    const { restored, rest, at } = this.#restore(piece, place);
    return { text: restored + rest, place: readJsonPiece(rest, at) };
  }

  /** The piece up to its last value, and the rest, which begins at the place `at`. */
  #restore(piece: string, place: JsonPlace): { restored: string; rest: string; at: JsonPlace } {
    let at = place;
    let restored = "";
    let copied = 0;
    for (const { 0: found, 1: label = "", index } of piece.matchAll(placeholderForm)) {
      const value = this.#values.get(label.toLowerCase());
      if (value === undefined) continue;
      const before = piece.slice(copied, index);
      at = readJsonPiece(before, at);
      const isText = isInString(at);
      if (!isText) at = readJsonPiece(aScalar, at);
      restored += before + (at === notJson ? value : isText ? JSON.stringify(value).slice(1, -1) : asJson(value));
      copied = index + found.length;
    }
    return { restored, rest: piece.slice(copied), at };
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

/** Stands for a placeholder without quotation marks, which a model has written as a value. */
const aScalar = "0";
/** RFC 8259, section 6. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/iu;

/** A value as JSON. */
function asJson(value: string): string {
  return jsonNumber.test(value) ? value : JSON.stringify(value);
}
