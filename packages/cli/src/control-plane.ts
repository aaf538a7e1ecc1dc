import { codeOf } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { CliError } from "./cli-error.ts";

interface OperationSummary {
  readonly name: string;
  readonly description: string;
}

/** Client of the Control Plane that commands use; {@link connectControlPlane} makes it, tests pass fakes. */
export interface ControlPlane {
  /** @throws CliError with the gateway's message. */
  call(operation: string, args: JsonObject): Promise<JsonObject>;
  listOperations(): Promise<readonly OperationSummary[]>;
}

/** Address of a gateway and the plaintext admin key for it, from options and the environment. */
export interface ConnectionSettings {
  /** Address of the router, without a path. */
  readonly url: string;
  readonly adminKey: string;
}

interface Refusal {
  readonly message: string;
  readonly data?: { readonly detail?: unknown };
}

interface Reply {
  readonly result?: { readonly structuredContent?: JsonObject; readonly tools?: readonly OperationSummary[] };
  readonly error?: Refusal | string;
  /** Message of a refusal that is not a JSON-RPC error. */
  readonly detail?: string;
}

/** Route of the Control Plane, below the gateway's address. */
const controlPath = "/control/mcp";

/** Bound of one operation, milliseconds; applying a large document takes long. */
const callTimeoutMs = 120_000;

/**
 * Creates a client that connects with its first call, and sends the key only to an address recognised as a gateway. Calls are
 * bounded to 120 s and throw CliError: no gateway at the address, a refusal with its detail, or a timeout.
 */
export function connectControlPlane({ url, adminKey }: ConnectionSettings): ControlPlane {
  const base = url.replace(/\/+$/, "");
  const target = `${base}${controlPath}`;
  let recognised: Promise<void> | undefined;
  const ask = async (method: string, params: JsonObject) => {
    await (recognised ??= requireGatehouse(base));
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { error, detail, result } = await post(target, adminKey, body);
    if (typeof error === "string") throw refusal(error, detail);
    if (error !== undefined) throw refusal(error.message, error.data?.detail);
    return result ?? {};
  };
  return {
    call: async (name, args) => (await ask("tools/call", { name, arguments: args })).structuredContent ?? {},
    listOperations: async () => (await ask("tools/list", {})).tools ?? [],
  };
}

/**
 * Reads the list of routes first, which a Gatehouse shows to everyone at `/`, so that a mistyped address never gets a key. A
 * request without a key at the key's own route would count as a failed sign-in.
 * @throws CliError where the address answers otherwise.
 */
async function requireGatehouse(base: string): Promise<void> {
  const target = `${base}${controlPath}`;
  const reply = await send(`${base}/`, { method: "GET" }).catch((err: unknown) => {
    throw isTimeout(err) ? late(target) : unreachable(target);
  });
  const body: unknown = await reply.json().catch(() => undefined);
  if (reply.status === 200 && reply.headers.has("x-request-id") && listsControlPlane(body)) return;
  const problem = `${base}/ does not answer like a Gatehouse gateway (status ${reply.status}); the admin key was not sent.`;
  throw new CliError(`${problem} ${checkAddress}`);
}

function listsControlPlane(index: unknown): boolean {
  const routes = isJsonObject(index) ? index["routes"] : undefined;
  return Array.isArray(routes) && routes.some((route) => isJsonObject(route) && route["path"] === controlPath);
}

const checkAddress = "Check --gateway and GATEHOUSE_URL.";

/** The gateway's message, with its reason if any. */
function refusal(message: string, detail: unknown): CliError {
  return new CliError(typeof detail === "string" && !message.includes(detail) ? `${message} ${detail}` : message);
}

async function send(address: string, init: RequestInit): Promise<Response> {
  // A redirect would send the key to another address.
  return await fetch(address, { ...init, redirect: "manual", signal: AbortSignal.timeout(callTimeoutMs) });
}

async function post(target: string, adminKey: string, body: string): Promise<Reply> {
  try {
    const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" };
    const reply = await send(target, { method: "POST", headers, body });
    if (reply.status === 401) throw await keyRefused(reply);
    const answer = parseReply(await reply.text());
    if (answer !== undefined) return answer;
    throw new CliError(`${target} answered with status ${reply.status} and without JSON. ${checkAddress}`);
  } catch (err) {
    throw err instanceof CliError ? err : failedCall(target, err);
  }
}

function parseReply(text: string): Reply | undefined {
  try {
    return JSON.parse(text) as Reply;
  } catch {
    return undefined;
  }
}

/** The gateway calls every credential a token; here it is the admin key. */
async function keyRefused(reply: Response): Promise<CliError> {
  const { error } = (await reply.json().catch(() => ({}))) as Reply;
  const reason = typeof error === "string" ? ` ${error}` : "";
  const places = "GATEHOUSE_ADMIN_KEY or the file of --admin-key-file";
  return new CliError(
    `The gateway refuses the admin key.${reason} An admin key begins with svc_admin_: check ${places}.`,
  );
}

/** Codes of connections that were never made, so that nothing was sent. */
const unsentCodes: ReadonlySet<string | undefined> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Failure of a call that may have reached the gateway, and may have changed something. */
function failedCall(target: string, err: unknown): CliError {
  if (isTimeout(err)) return late(target);
  if (unsentCodes.has(codeOf(err instanceof Error ? err.cause : undefined))) return unreachable(target);
  return new CliError(`The connection to ${target} ended before its answer. ${mayBeMade}`);
}

const mayBeMade = "A change may have been made, or may still be: look at its result before you repeat it.";

function isTimeout(err: unknown): boolean {
  return err instanceof Error && err.name === "TimeoutError";
}

function late(target: string): CliError {
  return new CliError(`${target} did not answer within ${callTimeoutMs / 1_000} seconds. ${mayBeMade}`);
}

function unreachable(target: string): CliError {
  return new CliError(`${target} cannot be reached. Start the gateway, or check --gateway and GATEHOUSE_URL.`);
}
