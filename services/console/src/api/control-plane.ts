import { CallError } from "./call-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { notReached, toCallError } from "./session.ts";
import type { ListName, OperationName, ResultOf } from "./types.ts";

/** An operation of `tools/list`, which contains only those that the signed-in person may call. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Whether calls accept an idempotency key. */
  readonly takesIdempotencyKey: boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;

interface Envelope {
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly detail?: unknown; readonly argument?: unknown };
  };
}

/** A page of a list. */
interface Paged {
  readonly next_cursor: string | null;
  readonly [list: string]: unknown;
}

/** JSON-RPC 2.0 code of an internal error; refused calls have another code. */
const internalErrorCode = -32_603;

/** Member of a call's `_meta`, and of `tools/list`'s, where it lists the operations that accept a key. */
const idempotencyKeyName = "gatehouse/idempotency-key";

interface Listed {
  readonly tools: readonly Omit<Operation, "takesIdempotencyKey">[];
  readonly _meta?: { readonly [idempotencyKeyName]?: readonly string[] };
}

/** Largest page of an operation, rows. */
export const rowsMax = 200;
/** Longest list that the page reads, rows. */
export const wholeListMax = 10_000;

function rowsOf(page: Paged, list: string): readonly unknown[] {
  return page[list] as readonly unknown[];
}

let lastId = 0;

/** MCP client of the Control Plane. @throws CallError */
export class ControlPlane {
  readonly #csrfToken: () => string;

  /** @param csrfToken returns the present session's token, since another session may have replaced the first */
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

  /** Calls an operation with an idempotency key: a repetition gets the first answer, and changes nothing. */
  async callOnce<Name extends OperationName>(name: Name, args: Arguments, key: string): Promise<ResultOf<Name>> {
    return await this.#call<Name>({ name, arguments: args, _meta: { [idempotencyKeyName]: key } });
  }

  /** Reads all pages of a list, up to {@link wholeListMax} rows. */
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
      // The refused session was replaced by another one, with which the call can be repeated.
      throw new CallError("The session has changed. Try again.", { status: 401, requestId, isPassing: true });
    }
    if (!reply.ok) throw await toCallError(reply);
    const { result, error } = (await reply.json().catch(notReached)) as Envelope;
    if (error !== undefined) {
      const { detail, argument } = error.data ?? {};
      throw new CallError(typeof detail === "string" ? `${error.message} ${detail}` : error.message, {
        status: reply.status,
        requestId,
        isPassing: error.code === internalErrorCode,
        argument: typeof argument === "string" ? argument : undefined,
      });
    }
    return result as Result;
  }
}
