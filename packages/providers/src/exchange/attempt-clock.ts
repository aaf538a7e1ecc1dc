import { type AttemptBounds, ProviderError } from "../provider.ts";

/** Longest wait for a usage chunk and the end mark after a stream's last choice has finished, ms. */
const tailMsMax = 3_000;

const never = Number.POSITIVE_INFINITY;
/** Timers of the platform may fire this much early, ms. */
const timerEarlyMs = 1;

/**
 * Keeps the five bounds of one attempt, from the progress that the attempt reports. While a stream has no output yet,
 * `firstTokenMs` and `totalMs` hold; from the first output on, `idleMs` between outputs, however many bytes without output come.
 * An answer in one piece is under `idleMs` from its head on, between bytes.
 *
 * All bounds share one timer, since every call needs them. A bound that moves later does not touch the timer: when the timer
 * fires, it is set again for the remaining time.
 */
export class AttemptClock {
  readonly #provider: string;
  readonly #bounds: AttemptBounds;
  readonly #streaming: boolean;
  /** Called once at most, with the bound that ran out. Not called after `stop()`. */
  readonly #onExpire: (err: ProviderError) => void;
  /** Expiry of each bound, on the clock of `performance.now()`. */
  #waitAt = never;
  #firstTokenAt = never;
  #totalAt = never;
  /** Message for the expiry of `#waitAt`, and the bound that it names. */
  #waitFor = "";
  #waitMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = never;
  #isConnected = false;
  #watchingSilence = false;
  /** Whether the gateway does not wait for the provider, so that silence is not the provider's. */
  #isPaused = false;
  /** Rest of `idleMs` while paused. */
  #silenceLeftMs = 0;
  #stopped = false;

  constructor(provider: string, bounds: AttemptBounds, streaming: boolean, onExpire: (err: ProviderError) => void) {
    this.#provider = provider;
    this.#bounds = bounds;
    this.#streaming = streaming;
    this.#onExpire = onExpire;
    const { connectMs, totalMs } = bounds;
    this.#totalAt = performance.now() + totalMs;
    this.#wait(connectMs, "did not accept a connection within");
  }

  connected(): void {
    this.#isConnected = true;
    this.#waitAt = never;
  }

  sent(): void {
    const { headersMs, firstTokenMs } = this.#bounds;
    if (this.#streaming) this.#firstTokenAt = performance.now() + firstTokenMs;
    this.#wait(headersMs, "did not answer within");
  }

  replied(): void {
    this.#waitAt = never;
    if (!this.#streaming) this.#watchSilence();
  }

  /** Bytes have arrived. They are progress of an answer in one piece; that of a stream is its output. */
  read(): void {
    if (this.#watchingSilence && !this.#streaming) this.#watchSilence();
  }

  /** Suspends the bound of silence until `resumed()`: the gateway does not wait for the provider. */
  paused(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    if (!this.#watchingSilence) return;
    this.#silenceLeftMs = this.#waitAt - performance.now();
    this.#waitAt = never;
  }

  resumed(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#watchingSilence) this.#waitSilence(this.#silenceLeftMs);
  }

  /** Output of a stream has arrived: from the first on only `idleMs` holds, until the next. */
  outputArrived(): void {
    this.#firstTokenAt = never;
    this.#totalAt = never;
    this.#watchSilence();
  }

  outputFinished(): void {
    this.#watchingSilence = false;
    this.#wait(Math.min(this.#bounds.idleMs, tailMsMax), "did not end its stream within");
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #watchSilence(): void {
    this.#watchingSilence = true;
    this.#silenceLeftMs = this.#bounds.idleMs;
    if (this.#isPaused) this.#waitAt = never;
    else this.#waitSilence(this.#silenceLeftMs);
  }

  #waitSilence(leftMs: number): void {
    this.#wait(leftMs, this.#streaming ? "sent no output for" : "sent nothing for", this.#bounds.idleMs);
  }

  #wait(ms: number, what: string, boundMs = ms): void {
    if (this.#stopped) return;
    const now = performance.now();
    this.#waitAt = now + ms;
    this.#waitFor = what;
    this.#waitMs = boundMs;
    this.#setTimer(now);
  }

  /** Sets the timer for the next bound, unless it already fires before that. */
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
