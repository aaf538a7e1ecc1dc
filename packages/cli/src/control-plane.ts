import { CliError } from "./cli-error.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface OperationSummary {
  readonly name: string;
  readonly description: string;
}

/** The Control Plane, as every other client sees it. */
export interface ControlPlane {
  /** @throws CliError with the gateway's own message. */
  call(operation: string, args: JsonObject): Promise<JsonObject>;
  listOperations(): Promise<readonly OperationSummary[]>;
}

export interface ConnectionSettings {
  /** Of the router, without a path. */
  readonly url: string;
  readonly adminKey: string;
}

interface Reply {
  readonly result?: { readonly structuredContent?: JsonObject; readonly tools?: readonly OperationSummary[] };
  readonly error?: { readonly message: string } | string;
}

/** Bound of one operation, milliseconds. Applying a large document takes a while. */
const callTimeoutMs = 120_000;

export function connectControlPlane({ url, adminKey }: ConnectionSettings): ControlPlane {
  const target = `${url.replace(/\/+$/, "")}/control/mcp`;
  const ask = async (method: string, params: JsonObject) => {
    const { error, result } = await post(target, adminKey, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    if (error !== undefined) throw new CliError(typeof error === "string" ? error : error.message);
    return result ?? {};
  };
  return {
    call: async (name, args) => (await ask("tools/call", { name, arguments: args })).structuredContent ?? {},
    listOperations: async () => (await ask("tools/list", {})).tools ?? [],
  };
}

async function post(target: string, adminKey: string, body: string): Promise<Reply> {
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" };
  const signal = AbortSignal.timeout(callTimeoutMs);
  const reply = await fetch(target, { method: "POST", headers, body, signal }).catch((err: unknown) => {
    throw unreachable(target, err);
  });
  try {
    return (await reply.json()) as Reply;
  } catch {
    throw new CliError(`${target} answered with status ${reply.status} and no JSON: is it a gateway's address?`);
  }
}

function unreachable(target: string, err: unknown): CliError {
  if (err instanceof Error && err.name === "TimeoutError") {
    return new CliError(`${target} did not answer within ${callTimeoutMs / 1_000} seconds.`);
  }
  return new CliError(`${target} cannot be reached. Is the gateway running? Set GATEHOUSE_URL, or use --url.`);
}
