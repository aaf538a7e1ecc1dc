/** A signal ended the start; nothing went wrong. */
class StartEndedError extends Error {
  override readonly name = "StartEndedError";
}

/** Resources that a start has opened so far, ended in reverse however far it came. */
export class StartedResources {
  readonly #ends: (() => Promise<void>)[] = [];
  #isEnding = false;

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Makes the start stop at its next step. */
  endStart(): void {
    this.#isEnding = true;
  }

  /** @throws StartEndedError where a signal has come. */
  add(end: () => Promise<void>): void {
    this.#ends.push(end);
    this.goOn();
  }

  /** @throws StartEndedError where a signal has come. */
  goOn(): void {
    if (this.#isEnding) throw new StartEndedError();
  }

  /** Ends what is open, the last first. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }
}
