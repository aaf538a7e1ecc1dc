import { throwUncaught } from "./guarded.ts";

/** The part of an AbortSignal by which work learns that it is given up. */
export interface AbortState {
  readonly aborted: boolean;
  /** Undefined before the abort. */
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A signal that is made when it is read, and its state, which needs no signal. */
export interface LazySignal {
  readonly aborted: boolean;
  readonly signal: AbortSignal;
}

/** A signal that exists already. */
export function lazySignalOf(signal: AbortSignal): LazySignal {
  return {
    signal,
    get aborted() {
      return signal.aborted;
    },
  };
}

/**
 * An AbortController, and the state of its signal, for work that is seldom given up. The signal is made where one is asked for:
 * with a listener it takes 2.5 µs, and most calls of a model need none.
 */
export class LightAbort implements AbortState, LazySignal {
  #aborted = false;
  #reason: unknown;
  #listeners: readonly (() => void)[] = [];
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** For code of the platform or of another package, which takes signals only. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Only the first call has an effect. An exception of a listener is uncaught, and does not stop other listeners. */
  abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    // A listener may remove those after it.
    for (let next = this.#takeListener(); next !== undefined; next = this.#takeListener()) run(next);
  }

  /** Each listener is called once; after the abort it is not called. */
  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.#aborted) this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#listeners.length > 0) this.#listeners = this.#listeners.filter((known) => known !== listener);
  }

  #takeListener(): (() => void) | undefined {
    const [first, ...others] = this.#listeners;
    this.#listeners = others;
    return first;
  }
}

function run(listener: () => void): void {
  try {
    listener();
  } catch (cause) {
    throwUncaught(cause);
  }
}
