import { isJsonObject, type JsonRpcParams } from "@gatehouse/json-rpc";

interface OpenCalls {
  /** Aborted when the caller disconnects, or cancels the request with this id, which is JSON text. */
  signalFor(id: string): AbortSignal;
  close(): void;
}

/**
 * Calls being answered, so that `notifications/cancelled`, which arrives in another request, finds its call. The gateway has no
 * MCP sessions, so a caller is identified by token and address; if two calls in flight match, none is cancelled.
 */
export class CallsInFlight {
  readonly #calls = new Map<string, Set<AbortController>>();

  open(caller: string, left: AbortSignal): OpenCalls {
    const opened: [string, AbortController][] = [];
    // One listener for all: the cost of adding one grows with their number.
    const onLeft = () => {
      for (const [, controller] of opened) controller.abort(left.reason);
    };
    left.addEventListener("abort", onLeft, { once: true });
    return {
      signalFor: (id) => {
        const key = keyOf(caller, id);
        const controller = new AbortController();
        if (left.aborted) controller.abort(left.reason);
        opened.push([key, controller]);
        const others = this.#calls.get(key);
        if (others === undefined) this.#calls.set(key, new Set([controller]));
        else others.add(controller);
        return controller.signal;
      },
      close: () => {
        left.removeEventListener("abort", onLeft);
        for (const [key, controller] of opened) this.#remove(key, controller);
      },
    };
  }

  record(caller: string, method: string, params: JsonRpcParams): void {
    if (method !== "notifications/cancelled" || !isJsonObject(params)) return;
    const { requestId } = params;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    const [controller, another] = this.#calls.get(keyOf(caller, JSON.stringify(requestId))) ?? [];
    if (another === undefined) controller?.abort();
  }

  #remove(key: string, controller: AbortController): void {
    const calls = this.#calls.get(key);
    calls?.delete(controller);
    if (calls?.size === 0) this.#calls.delete(key);
  }
}

function keyOf(caller: string, id: string): string {
  return `${caller} ${id}`;
}
