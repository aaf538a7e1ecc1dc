/** Periodic work, one run after the other. */
interface RepetitionOptions {
  /** Time before the first run, and between runs, milliseconds. */
  readonly intervalMs: number;
  /** One run; long ones should obey the signal, which is aborted at the stop. */
  readonly work: (stopping: AbortSignal) => Promise<unknown>;
  /** Receives a run's failure; the next run follows as usual. */
  readonly onFailure: (err: unknown) => void;
}

/** Repeats work until it is stopped. Its timer keeps no process alive. */
export class Repetition {
  readonly #options: RepetitionOptions;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RepetitionOptions) {
    this.#options = options;
  }

  start(): void {
    const { intervalMs, work, onFailure } = this.#options;
    const { signal } = this.#stopping;
    const run = async () => {
      try {
        await work(signal);
      } catch (err) {
        onFailure(err);
      }
      next();
    };
    const next = () => {
      if (signal.aborted) return;
      this.#timer = setTimeout(() => {
        this.#running = run();
      }, intervalMs).unref();
    };
    next();
  }

  /** Starts no further run, and resolves when the current one has ended. Idempotent, also before the start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }
}
