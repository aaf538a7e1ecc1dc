import { ProviderError } from "@gatehouse/providers";

/** Characters of the second part that are read before any are passed on. */
const windowLength = 64;
/** Longest repetition that is sought at the seam, characters; the search takes its square. */
const overlapLengthMax = 1_024;
/** Shortest repetition that cannot be intended, in characters: it is removed, or shows that the answer was started again. */
const overlapLengthMin = 8;
/**
 * Last word of a text, begun or whole, of three letters or more. Its repetition is removed: joined to itself it would be no word,
 * except the few of one syllable twice.
 */
const lastWord = /(?<![\p{L}\p{N}])\p{L}{3,}$/u;
/** A text that has a word of three letters. */
const withWord = /\p{L}{3}/u;

/**
 * Joins the second part of a text to the first. A model may repeat the last words, or start over: both repetitions are removed. A
 * second part that starts over and then differs cannot be joined.
 */
export class ContinuationJoiner {
  readonly #first: string;
  #held = "";
  #isJoined = false;
  /** Length of the first text that the second has repeated from its beginning; undefined where it has not started over. */
  #repeated: number | undefined;

  constructor(first: string) {
    this.#first = first;
  }

  /** Text that can be passed on now. @throws ProviderError `malformed` for a second part that does not fit. */
  push(text: string): string {
    if (this.#isJoined) return text;
    if (this.#repeated !== undefined) return this.#cutRepeated(text, this.#repeated);
    this.#held += text;
    if (this.#held.length < windowLength) return "";
    return this.#beginsAgain() ? this.#cutRepeated(this.#held, 0) : this.#join();
  }

  /** The rest of the text. @throws ProviderError `malformed` for a second part that does not fit. */
  end(): string {
    if (this.#isJoined) return "";
    if (this.#repeated === undefined && !this.#beginsAgain()) return this.#join();
    const rest = this.#repeated === undefined ? this.#cutRepeated(this.#held, 0) : "";
    if (this.#repeated !== this.#first.length) throw differentAnswer();
    return rest;
  }

  /** Whether the second text starts over: enough of its first characters equal those of the first text. */
  #beginsAgain(): boolean {
    const length = Math.min(windowLength, this.#first.length, this.#held.length);
    return length >= overlapLengthMin && this.#first.slice(0, length) === this.#held.slice(0, length);
  }

  /** The part of a text beyond the first one, whose beginning has been repeated up to `from`. */
  #cutRepeated(text: string, from: number): string {
    const repeated = text.slice(0, this.#first.length - from);
    if (!this.#first.startsWith(repeated, from)) throw differentAnswer();
    this.#repeated = from + repeated.length;
    this.#isJoined = text.length > repeated.length;
    return text.slice(repeated.length);
  }

  #join(): string {
    this.#isJoined = true;
    const longest = Math.min(this.#held.length, this.#first.length, overlapLengthMax);
    for (let length = longest; length >= overlapLengthMin; length -= 1) {
      if (this.#first.endsWith(this.#held.slice(0, length))) return this.#held.slice(length);
    }
    const repetition = this.#shortRepetition();
    if (repetition === "" && this.#beginsAlike()) throw differentAnswer();
    return this.#held.slice(repetition.length);
  }

  /** Whether the second text starts over and soon differs: more of its beginning equals that of the first than chance explains. */
  #beginsAlike(): boolean {
    const beginning = this.#first.slice(0, overlapLengthMin);
    return beginning.length === overlapLengthMin && this.#held.startsWith(beginning);
  }

  /** A repetition below {@link overlapLengthMin} that cannot be intended: all of a short text, or its last word. */
  #shortRepetition(): string {
    const end = this.#first.slice(-windowLength);
    if (withWord.test(end) && this.#held.startsWith(this.#first)) return this.#first;
    const [word = ""] = lastWord.exec(end) ?? [];
    return this.#held.startsWith(word) ? word : "";
  }
}

function differentAnswer(): ProviderError {
  return new ProviderError("malformed", "the next model began a different answer instead of continuing the first");
}
