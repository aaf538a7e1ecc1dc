import type { Json } from "./control-plane-client.ts";
import type { Product } from "./product.ts";

export interface McpReply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined: empty. */
  readonly body: unknown;
}

export interface RpcReply {
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Sends plain JSON-RPC to the MCP route of a project, so that a test sees every byte. */
export class McpCaller {
  readonly #url: string;
  readonly #token: string;

  constructor({ url }: Pick<Product, "url">, { project, token }: { readonly project: string; readonly token: string }) {
    this.#url = `${url}/api/${project}/mcp`;
    this.#token = token;
  }

  /** Posts a body, given as a value or as text. */
  async post(
    body: unknown,
    options: { readonly headers?: Json; readonly signal?: AbortSignal } = {},
  ): Promise<McpReply> {
    const reply = await fetch(this.#url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/json",
        ...(options.headers as Record<string, string> | undefined),
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
      signal: options.signal ?? null,
    });
    const text = await reply.text();
    return {
      status: reply.status,
      headers: reply.headers,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
  }

  /** Calls one method and returns its result or error. */
  async ask(method: string, params?: Json, signal?: AbortSignal): Promise<RpcReply> {
    const envelope = { jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) };
    const { body } = await this.post(envelope, signal === undefined ? {} : { signal });
    const { result, error } = body as RpcReply;
    return error === undefined ? { result: result ?? {} } : { error };
  }

  async callTool(name: string, toolArguments?: Json, signal?: AbortSignal): Promise<RpcReply> {
    return await this.ask("tools/call", { name, ...(toolArguments && { arguments: toolArguments }) }, signal);
  }

  async listTools(): Promise<readonly { readonly name: string; readonly [member: string]: unknown }[]> {
    const { result } = await this.ask("tools/list");
    return (result as { tools: readonly { name: string }[] }).tools;
  }
}
