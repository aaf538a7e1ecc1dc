import { ProviderError } from "@gatehouse/providers";

/** Characters of the second part that are read before any of it is passed on. */
const windowLength = 64;
/** Shortest repetition that is cut; a shorter one may well be meant. */
const overlapLengthMin = 8;

/**
 * Joins the second part of a text to the first. A model may say the last words again, or begin from the start: both are cut. One that
 * begins again with other words cannot be joined.
 */
export class ContinuationJoiner {
  readonly #first: string;
  #held = "";
  #isJoined = false;

  constructor(first: string) {
    this.#first = first;
  }

  /**
   * The part of the text so far that can be passed on. @throws ProviderError `malformed` for a second part that does not fit.
   */
  push(text: string): string {
    if (this.#isJoined) return text;
    this.#held += text;
    if (this.#held.length < windowLength) return "";
    return this.#beginsAgain() ? this.#cutBeginning() : this.#join();
  }

  /** The rest, when no more comes. @throws ProviderError likewise. */
  end(): string {
    if (this.#isJoined) return "";
    return this.#beginsAgain() ? this.#cutWhole() : this.#join();
  }

  /** Whether the second text repeats the beginning of the first: its first characters are equal, and long enough to be no accident. */
  #beginsAgain(): boolean {
    const length = Math.min(windowLength, this.#first.length, this.#held.length);
    return length >= overlapLengthMin && this.#first.slice(0, length) === this.#held.slice(0, length);
  }

  #cutBeginning(): string {
    if (this.#held.length <= this.#first.length && this.#first.startsWith(this.#held)) return "";
    return this.#cutWhole();
  }

  #cutWhole(): string {
    if (!this.#held.startsWith(this.#first)) {
      throw new ProviderError("malformed", "another model began the answer again with other words");
    }
    this.#isJoined = true;
    return this.#held.slice(this.#first.length);
  }

  #join(): string {
    this.#isJoined = true;
    const longest = Math.min(this.#held.length, this.#first.length);
    for (let length = longest; length >= overlapLengthMin; length -= 1) {
      if (this.#first.endsWith(this.#held.slice(0, length))) return this.#held.slice(length);
    }
    return this.#held;
  }
}
