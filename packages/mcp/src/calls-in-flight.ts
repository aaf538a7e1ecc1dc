import { RequestMap } from "@gatehouse/async";

interface OpenCalls {
  /** Aborted when the caller disconnects, or cancels the request with this id, which is JSON text. */
  signalFor(id: string): AbortSignal;
  close(): void;
}

/** Calls that this process answers, by caller and id, so that a notification in another request finds its call. */
export class CallsInFlight {
  readonly #calls = new RequestMap<string, AbortController[]>();

  open(caller: string, left: AbortSignal): OpenCalls {
    const opened: [string, AbortController][] = [];
    // One listener for all: the cost of adding one grows with their number.
    const onLeft = () => {
      for (const [, controller] of opened) controller.abort(left.reason);
    };
    left.addEventListener("abort", onLeft, { once: true });
    return {
      signalFor: (id) => {
        const name = nameOfCall(caller, id);
        const controller = new AbortController();
        if (left.aborted) controller.abort(left.reason);
        opened.push([name, controller]);
        const others = this.#calls.get(name);
        if (others === undefined) this.#calls.set(name, [controller]);
        else others.push(controller);
        return controller.signal;
      },
      close: () => {
        left.removeEventListener("abort", onLeft);
        for (const [name, controller] of opened) this.#remove(name, controller);
      },
    };
  }

  /** Number of calls with a name. */
  count(name: string): number {
    return this.#calls.get(name)?.length ?? 0;
  }

  /** Aborts the call with a name; none where several have it. */
  cancel(name: string): void {
    const [controller, another] = this.#calls.get(name) ?? [];
    if (another === undefined) controller?.abort();
  }

  #remove(name: string, controller: AbortController): void {
    const others = this.#calls.get(name)?.filter((one) => one !== controller) ?? [];
    if (others.length === 0) this.#calls.take(name);
    else this.#calls.set(name, others);
  }
}

/** Name of a call by its caller and the JSON text of its id. */
export function nameOfCall(caller: string, id: string): string {
  return `${caller} ${id}`;
}
