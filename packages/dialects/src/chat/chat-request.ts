import { GatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject, parseUuid, type WrittenStrings } from "@gatehouse/json";
import { toUserName } from "@gatehouse/principal";
import type { ChatMessage } from "@gatehouse/providers";

/** Values for a prompt's `{{names}}`. */
export type PromptVariables = Readonly<Record<string, string | number | boolean>>;

/** Checked request of any chat or OpenAI-compatible route: the common form that the pipeline works on. */
export interface ChatRequest {
  /** Operation of the model; a chat when absent. */
  readonly operation?: "embeddings";
  readonly slug: string;
  readonly messages: readonly ChatMessage[];
  /** Input to embed, given as tokens; its texts become the messages after the rate limit. */
  readonly tokenInputs?: readonly (readonly number[])[];
  readonly stream: boolean;
  /** UUID in lower case; absent for a call without a session. */
  readonly sessionId: string | undefined;
  /** For the `{{names}}` of the endpoint's prompt. */
  readonly variables: PromptVariables;
  /** The caller's model parameters; absent on the chat routes, which have none. */
  readonly parameters?: JsonObject;
  /** Whether the input of embeddings was one text, not a list. */
  readonly isSingleInput?: boolean;
  readonly bodyBytes?: number;
  /** Long strings of a large body, as they came. */
  readonly written?: WrittenStrings;
  /** The received body without the dispatcher's `endpoint`, for the input schema. */
  readonly asSent: JsonObject;
}

const roles: ReadonlySet<string> = new Set(["system", "user", "assistant"]);
const noVariables: PromptVariables = {};
/** Most messages of one request; more are `malformed_body`. */
export const messagesMax = 10_000;

/**
 * Checks a parsed body. `routeSlug` is the slug of the direct route's path; on the dispatcher route it is undefined and the
 * body's `endpoint` has the slug. Unknown fields are ignored.
 * @throws GatewayError `malformed_body` that names the field and how to fix it.
 */
export function parseChatRequest(body: unknown, routeSlug: string | undefined): ChatRequest {
  checkBody(body);
  const slug = routeSlug ?? parseEndpoint(body);
  const messages = parseMessages(body);
  if (body["stream"] !== undefined && typeof body["stream"] !== "boolean") throw malformed("'stream' must be boolean.");
  const variables = parseVariables(body["variables"]);
  const sessionId = parseSessionId(body["session_id"]);
  const asSent = routeSlug === undefined ? withoutEndpoint(body) : body;
  return { slug, messages, stream: body["stream"] === true, sessionId, variables, asSent };
}

function parseEndpoint({ endpoint }: JsonObject): string {
  if (endpoint === undefined || endpoint === "") {
    throw malformed("'endpoint' is required: the slug of the endpoint to call.");
  }
  if (typeof endpoint !== "string") throw malformed("'endpoint' must be a string: the slug of the endpoint to call.");
  return endpoint;
}

/** Removes the dispatcher's routing member, so that a schema without additional members fits both routes. */
function withoutEndpoint({ endpoint: _endpoint, ...rest }: JsonObject): JsonObject {
  return rest;
}

function parseMessages({ message, messages }: JsonObject): readonly ChatMessage[] {
  if (message !== undefined && messages !== undefined)
    throw malformed("Send either 'message' or 'messages', not both.");
  if (message !== undefined) {
    if (typeof message !== "string") throw malformed("'message' must be a string.");
    return [{ role: "user", content: message }];
  }
  if (messages === undefined) throw malformed("Send 'message' (a string) or 'messages' (an array).");
  if (!Array.isArray(messages)) throw malformed("'messages' must be an array of {role, content}.");
  if (messages.length === 0) throw malformed("'messages' must not be empty.");
  if (messages.length > messagesMax) throw malformed(`'messages' must have at most ${messagesMax} entries.`);
  return messages.map(parseMessage);
}

function parseMessage(message: unknown, index: number): ChatMessage {
  const at = `'messages[${index}]`;
  if (!isJsonObject(message)) throw malformed(`${at}' must be an object {role, content}.`);
  const { role, content } = message;
  if (typeof role !== "string" || !roles.has(role)) throw malformed(`${at}.role' must be system, user or assistant.`);
  if (typeof content !== "string") throw malformed(`${at}.content' must be a string.`);
  return { role, content };
}

function parseSessionId(sessionId: unknown): string | undefined {
  if (sessionId === undefined) return undefined;
  const uuid = typeof sessionId === "string" ? parseUuid(sessionId) : undefined;
  if (uuid !== undefined) return uuid;
  throw malformed("'session_id' must be a UUID.");
}

/** @throws GatewayError `malformed_body` for anything but an object of plain values. */
export function parseVariables(variables: unknown): PromptVariables {
  if (variables === undefined) return noVariables;
  if (!isJsonObject(variables)) throw malformed("'variables' must be an object.");
  for (const [name, value] of Object.entries(variables)) {
    if (!["string", "number", "boolean"].includes(typeof value)) {
      const problem = "must be a string, a number or a boolean.";
      throw malformed(`'variables.${name.slice(0, 64)}' ${problem}`, `'variables.*' ${problem}`);
    }
  }
  return variables as PromptVariables;
}

/** Refusal of a malformed body (400), with a sentence for its sender. */
export function malformed(message: string, loggedMessage = message): GatewayError {
  return new GatewayError("malformed_body", message, { loggedMessage });
}

/** @throws GatewayError `malformed_body` for a body that is no object. */
export function checkBody(body: unknown): asserts body is JsonObject {
  if (!isJsonObject(body)) throw malformed("Request body must be a JSON object.");
}

/** Fields by which OpenAI's clients name the user of a call. */
const bodyFields = ["user", "safety_identifier"] as const;

/**
 * User of a call as named by the application: in the gateway's header, else in the body. Only the body's fields are sent to a
 * provider, as parameters.
 */
export function userOf(user: string | undefined, request: ChatRequest | undefined): string | undefined {
  if (user !== undefined || request === undefined) return user;
  return bodyFields.map((field) => toUserName(request.asSent[field])).find((name) => name !== undefined);
}
