import type { Product } from "./product.ts";

/** The address and key of a running product. */
export type Administered = Pick<Product, "url" | "adminKey">;

export interface OperationError {
  readonly code: number;
  readonly message: string;
}

export type Json = Readonly<Record<string, unknown>>;

/** Calls Control Plane operations like any MCP client. */
export class ControlPlaneClient {
  readonly #product: Administered;
  #nextId = 1;

  constructor(product: Administered) {
    this.#product = product;
  }

  /** Runs an operation. @throws Error with the operation's message when it is refused. */
  async call<T = Json>(name: string, args: Json = {}): Promise<T> {
    const reply = await this.request("tools/call", { name, arguments: args });
    if (reply.error !== undefined) throw new Error(reply.error.message);
    return (reply.result as { structuredContent: T }).structuredContent;
  }

  /** Sends one JSON-RPC request and returns its envelope. */
  async request(
    method: string,
    params: Json = {},
  ): Promise<{ readonly result?: unknown; readonly error?: OperationError }> {
    const reply = await fetch(`${this.#product.url}/control/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#product.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: this.#nextId++, method, params }),
    });
    return (await reply.json()) as { result?: unknown; error?: OperationError };
  }
}

export interface ProjectFixture {
  readonly project: string;
  readonly token: string;
  readonly tokenId: number;
}

/** Creates a project with one token, under a unique name. */
export async function createProject(
  control: ControlPlaneClient,
  { type = "ai_gateway", scopes = ["chat"], ...limits }: { type?: string; scopes?: string[] } & Json = {},
): Promise<ProjectFixture> {
  const { uuid } = await control.call<{ uuid: string }>("svc_create_project", {
    name: uniqueName("project"),
    project_type: type,
    ...limits,
  });
  const token = await control.call<{ id: number; token: string }>("svc_create_token", {
    project: uuid,
    name: "application",
    scopes,
  });
  return { project: uuid, token: token.token, tokenId: token.id };
}

let counter = 0;

export function uniqueName(prefix: string): string {
  counter += 1;
  return `${prefix}-${process.pid}-${counter}`;
}
