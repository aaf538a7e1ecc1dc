/** The start was ended by a signal; not a failure. */
class StartEndedError extends Error {
  override readonly name = "StartEndedError";
}

/** Resources opened so far, ended in reverse. */
export class StartedResources {
  readonly #ends: (() => Promise<void>)[] = [];
  #isEnding = false;

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Makes the start end at its next step. */
  endStart(): void {
    this.#isEnding = true;
  }

  /** @throws StartEndedError after a signal. */
  add(end: () => Promise<void>): void {
    this.#ends.push(end);
    this.goOn();
  }

  /** @throws StartEndedError after a signal. */
  goOn(): void {
    if (this.#isEnding) throw new StartEndedError();
  }

  /** Ends the open resources, the last first. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }
}
