import { type AttemptBounds, ProviderError } from "../provider.ts";

/** Longest time of a stream after its last choice has finished, for a usage chunk and the end mark, ms. */
const tailMsMax = 3_000;

const never = Number.POSITIVE_INFINITY;
/** A timer of the platform may come this much before its time, ms. */
const timerEarlyMs = 1;

/**
 * Keeps the five bounds of one attempt. The attempt says what has happened, the clock says when it took too long.
 * While a stream has no output yet, `firstTokenMs` and `totalMs` hold; `idleMs` holds from the first output on. An
 * answer in one piece is under `idleMs` from its head on.
 *
 * Every call passes here, so there is one timer for all bounds. A bound that moves away leaves it as it is: the timer looks
 * when it fires, and is set again for what is left.
 */
export class AttemptClock {
  /** The provider's name, for messages. */
  readonly #provider: string;
  readonly #bounds: AttemptBounds;
  readonly #streaming: boolean;
  /** Called once at most, with what ran out. Not called after `stop()`. */
  readonly #onExpire: (err: ProviderError) => void;
  /** When each bound runs out, on the clock of `performance.now()`. */
  #waitAt = never;
  #firstTokenAt = never;
  #totalAt = never;
  /** Message for the moment when `#waitAt` is reached, and the bound that it names. */
  #waitFor = "";
  #waitMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = never;
  #isConnected = false;
  #watchingSilence = false;
  /** Whether the provider has to wait for us. */
  #isPaused = false;
  #stopped = false;

  constructor(provider: string, bounds: AttemptBounds, streaming: boolean, onExpire: (err: ProviderError) => void) {
    this.#provider = provider;
    this.#bounds = bounds;
    this.#streaming = streaming;
    this.#onExpire = onExpire;
    const { connectMs, totalMs } = bounds;
    this.#totalAt = performance.now() + totalMs;
    this.#wait(connectMs, "was not connected within");
  }

  connected(): void {
    this.#isConnected = true;
    this.#waitAt = never;
  }

  sent(): void {
    if (this.#stopped) return;
    const { headersMs, firstTokenMs } = this.#bounds;
    if (this.#streaming) this.#firstTokenAt = performance.now() + firstTokenMs;
    this.#wait(headersMs, "did not answer within");
  }

  replied(): void {
    this.#waitAt = never;
    if (!this.#streaming) this.#watchSilence();
  }

  /** Bytes have arrived, or reading goes on after `paused()`. */
  read(): void {
    this.#isPaused = false;
    if (this.#watchingSilence) this.#watchSilence();
  }

  /** Pauses the bound of silence until `read()`: the gateway itself does not read meanwhile. */
  paused(): void {
    this.#isPaused = true;
    if (this.#watchingSilence) this.#waitAt = never;
  }

  /** The stream's first output is there: from now on only silence counts. */
  outputBegan(): void {
    this.#firstTokenAt = never;
    this.#totalAt = never;
    this.#watchSilence();
  }

  /** Every choice of the stream is finished. */
  outputFinished(): void {
    if (this.#stopped) return;
    this.#watchingSilence = false;
    this.#wait(Math.min(this.#bounds.idleMs, tailMsMax), "did not end its stream within");
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #watchSilence(): void {
    if (this.#stopped) return;
    this.#watchingSilence = true;
    if (this.#isPaused) this.#waitAt = never;
    else this.#wait(this.#bounds.idleMs, "was silent for");
  }

  #wait(ms: number, what: string): void {
    const now = performance.now();
    this.#waitAt = now + ms;
    this.#waitFor = what;
    this.#waitMs = ms;
    this.#setTimer(now);
  }

  /** Sets the timer for the next bound, unless it fires before that anyway. */
  #setTimer(now: number): void {
    const next = Math.min(this.#waitAt, this.#firstTokenAt, this.#totalAt);
    if (next >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = next;
    this.#timer = setTimeout(() => this.#look(), next - now);
  }

  #look(): void {
    const now = performance.now();
    this.#timerAt = never;
    const what = this.#expired(now + timerEarlyMs);
    if (what === undefined) {
      this.#setTimer(now);
      return;
    }
    this.stop();
    const isOfConnection = !this.#isConnected;
    this.#onExpire(new ProviderError("timeout", `${this.#provider} ${what}`, { isOfConnection }));
  }

  #expired(now: number): string | undefined {
    const { firstTokenMs, totalMs } = this.#bounds;
    if (this.#waitAt <= now) return `${this.#waitFor} ${this.#waitMs} ms`;
    if (this.#firstTokenAt <= now) return `sent no first token within ${firstTokenMs} ms`;
    return this.#totalAt <= now ? `did not finish within ${totalMs} ms` : undefined;
  }
}
