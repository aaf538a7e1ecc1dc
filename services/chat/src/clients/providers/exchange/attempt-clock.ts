import { type AttemptBounds, ProviderError } from "../../../domain/provider.ts";

/** How long a stream may go on after its last choice has finished, for a usage chunk and the end mark, ms. */
const tailMsMax = 3_000;

export interface AttemptClockOptions {
  /** The provider's name, for messages. */
  readonly provider: string;
  readonly bounds: AttemptBounds;
  readonly streaming: boolean;
  /** Called once at most, with what ran out. Not called after `stop()`. */
  readonly onExpire: (err: ProviderError) => void;
}

/**
 * Keeps the five bounds of one attempt. The attempt says what has happened, the clock says when it took too long.
 * While a stream has no output yet, `firstTokenMs` and `totalMs` hold; `idleMs` holds from the first output on. An
 * answer in one piece is under `idleMs` from its head on.
 */
export class AttemptClock {
  readonly #options: AttemptClockOptions;
  #wait: NodeJS.Timeout | undefined;
  #firstToken: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;
  #watchingSilence = false;
  #stopped = false;

  constructor(options: AttemptClockOptions) {
    this.#options = options;
    const { connectMs, totalMs } = options.bounds;
    this.#total = this.#after(totalMs, `did not finish within ${totalMs} ms`);
    this.#wait = this.#after(connectMs, `was not connected within ${connectMs} ms`);
  }

  connected(): void {
    this.#endWait();
  }

  sent(): void {
    if (this.#stopped) return;
    const { headersMs, firstTokenMs } = this.#options.bounds;
    this.#wait = this.#after(headersMs, `did not answer within ${headersMs} ms`);
    if (this.#options.streaming) {
      this.#firstToken = this.#after(firstTokenMs, `sent no first token within ${firstTokenMs} ms`);
    }
  }

  replied(): void {
    this.#endWait();
    if (!this.#options.streaming) this.#watchSilence();
  }

  /** Bytes have arrived, or reading goes on after `paused()`. */
  read(): void {
    if (!this.#watchingSilence) return;
    if (this.#wait === undefined) this.#watchSilence();
    else this.#wait.refresh();
  }

  /** Nothing is asked of the provider until `read()`: the silence is ours. */
  paused(): void {
    if (this.#watchingSilence) this.#endWait();
  }

  /** The stream's first output is there: from now on only silence counts. */
  outputBegan(): void {
    clearTimeout(this.#firstToken);
    clearTimeout(this.#total);
    this.#watchSilence();
  }

  /** Every choice of the stream is finished. */
  outputFinished(): void {
    if (this.#stopped) return;
    this.#endWait();
    this.#watchingSilence = false;
    const tailMs = Math.min(this.#options.bounds.idleMs, tailMsMax);
    this.#wait = this.#after(tailMs, `did not end its stream within ${tailMs} ms`);
  }

  stop(): void {
    this.#stopped = true;
    this.#endWait();
    clearTimeout(this.#firstToken);
    clearTimeout(this.#total);
  }

  #watchSilence(): void {
    if (this.#stopped) return;
    this.#endWait();
    const { idleMs } = this.#options.bounds;
    this.#watchingSilence = true;
    this.#wait = this.#after(idleMs, `was silent for ${idleMs} ms`);
  }

  #endWait(): void {
    clearTimeout(this.#wait);
    this.#wait = undefined;
  }

  #after(ms: number, what: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.stop();
      this.#options.onExpire(new ProviderError("timeout", `${this.#options.provider} ${what}`));
    }, ms);
  }
}
