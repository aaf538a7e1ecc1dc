import { CallError } from "./call-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { notReached, toCallError } from "./session.ts";
import type { ListName, OperationName, ResultOf } from "./types.ts";

/** An operation as `tools/list` gives it: only what the signed-in person may call is there. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Whether repetitions under one key get the first answer. */
  readonly takesIdempotencyKey: boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;

interface Envelope {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A page of a list, as operations that list things answer. */
interface Paged {
  readonly next_cursor: string | null;
  readonly [list: string]: unknown;
}

/** Code of JSON-RPC 2.0: the fault is not the call's. A call that is refused has another code. */
const internalErrorCode = -32_603;

/** Member of a call's `_meta`, and of that of `tools/list`, where it has the names of the operations that take a key. */
const idempotencyKeyName = "gatehouse/idempotency-key";

interface Listed {
  readonly tools: readonly Omit<Operation, "takesIdempotencyKey">[];
  readonly _meta?: { readonly [idempotencyKeyName]?: readonly string[] };
}

/** Most rows that an operation gives at once. */
export const rowsMax = 200;
/** Most rows of a list that the page takes. */
export const wholeListMax = 10_000;

function rowsOf(page: Paged, list: string): readonly unknown[] {
  return page[list] as readonly unknown[];
}

let lastId = 0;

/** Calls the Control Plane's MCP server, as any client does. @throws CallError */
export class ControlPlane {
  readonly #csrfToken: () => string;

  /** @param csrfToken of the session as it is at each call: a session that ended may have been followed by another. */
  constructor(csrfToken: () => string) {
    this.#csrfToken = csrfToken;
  }

  async listOperations(signal?: AbortSignal): Promise<readonly Operation[]> {
    const { tools, _meta } = await this.#request<Listed>("tools/list", {}, signal);
    const takingKeys = new Set(_meta?.[idempotencyKeyName]);
    return tools.map((tool) => ({ ...tool, takesIdempotencyKey: takingKeys.has(tool.name) }));
  }

  async call<Name extends OperationName>(name: Name, args: Arguments, signal?: AbortSignal): Promise<ResultOf<Name>> {
    return await this.#call<Name>({ name, arguments: args }, signal);
  }

  /** Calls an operation that takes a key: under the same one it answers as it has answered first, and changes nothing more. */
  async callOnce<Name extends OperationName>(name: Name, args: Arguments, key: string): Promise<ResultOf<Name>> {
    return await this.#call<Name>({ name, arguments: args, _meta: { [idempotencyKeyName]: key } });
  }

  /** All pages of a list as one, up to {@link wholeListMax} rows. */
  async callAll<Name extends ListName>(name: Name, args: Arguments, signal?: AbortSignal): Promise<ResultOf<Name>> {
    const read = async (more: Arguments) =>
      (await this.call(name, { limit: rowsMax, ...args, ...more }, signal)) as Paged;
    let page = await read({});
    const list = Object.keys(page).find((key) => Array.isArray(page[key])) ?? "";
    while (page.next_cursor !== null && rowsOf(page, list).length < wholeListMax) {
      const next = await read({ cursor: page.next_cursor });
      page = { ...next, [list]: [...rowsOf(page, list), ...rowsOf(next, list)] };
    }
    return page as ResultOf<Name>;
  }

  async #call<Name extends OperationName>(params: object, signal?: AbortSignal): Promise<ResultOf<Name>> {
    type Reply = { readonly structuredContent: ResultOf<Name> };
    const { structuredContent } = await this.#request<Reply>("tools/call", params, signal);
    return structuredContent;
  }

  async #request<Result>(
    method: string,
    params: object,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Result> {
    lastId += 1;
    const csrfToken = this.#csrfToken();
    const reply = await fetch("/control/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", "x-gatehouse-csrf": csrfToken },
      body: JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params }),
      signal,
    }).catch(notReached);
    const requestId = reply.headers.get("x-request-id") ?? undefined;
    if (reply.status === 401 && csrfToken !== this.#csrfToken()) {
      // The refusal is of a session that another one has followed, under which the question can be asked again.
      throw new CallError("The session has changed. Try again.", { status: 401, requestId, isPassing: true });
    }
    if (!reply.ok) throw await toCallError(reply);
    const { result, error } = (await reply.json().catch(notReached)) as Envelope;
    if (error !== undefined) {
      const isPassing = error.code === internalErrorCode;
      throw new CallError(error.message, { status: reply.status, requestId, isPassing });
    }
    return result as Result;
  }
}
