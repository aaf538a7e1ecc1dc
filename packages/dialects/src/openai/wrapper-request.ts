import { isJsonObject, type JsonObject } from "@gatehouse/json";
import type { ChatMessage } from "@gatehouse/providers";
import { type ChatRequest, checkBody, malformed, messagesMax, parseVariables } from "../chat/chat-request.ts";

const roles: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
/** Roles whose messages may lack content: an assistant's with tool calls only, a function's without a result. */
const rolesWithoutContent: ReadonlySet<string> = new Set(["assistant", "function"]);
const choicesMax = 128;
/** Fields of the body that are not model parameters. */
const ownFields: ReadonlySet<string> = new Set(["model", "messages", "stream", "variables"]);

/**
 * Checks the parts of a chat completions body that the gateway reads: the alias in `model`, roles and content types of messages,
 * `stream`, `stream_options.include_usage`, the limits `n`, `max_tokens` and `max_completion_tokens`, and `variables`, a field of
 * the gateway that no provider gets. Everything else is a parameter.
 * @throws GatewayError `malformed_body` that names the field and how to fix it.
 */
export function parseWrapperRequest(body: unknown): ChatRequest {
  checkBody(body);
  const slug = parseModel(body);
  const messages = parseMessages(body);
  checkStreamOptions(body);
  checkChoices(body);
  checkLimit(body, "max_tokens");
  checkLimit(body, "max_completion_tokens");
  const parameters = parametersOf(body);
  const variables = parseVariables(body["variables"]);
  return { slug, messages, stream: parseStream(body), sessionId: undefined, variables, parameters, asSent: body };
}

/** Alias of a Wrapper request: the slug of an endpoint. @throws GatewayError `malformed_body`. */
export function parseModel({ model }: JsonObject): string {
  if (model === undefined) throw malformed("'model' is required: the slug of the endpoint to call.");
  if (typeof model !== "string" || model === "") {
    throw malformed("'model' must be a string: the slug of the endpoint to call.");
  }
  return model;
}

/** Fields of the body that are sent to the provider unchanged. */
export function parametersOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ownFields.has(name)));
}

/** Whether the caller asked for token counts in a stream's last chunk. */
export function wantsUsage({ parameters }: Pick<ChatRequest, "parameters">): boolean {
  const options = parameters?.["stream_options"];
  return isJsonObject(options) && options["include_usage"] === true;
}

/** Whether a stream is requested. @throws GatewayError `malformed_body` for anything but a boolean or null */
export function parseStream({ stream }: JsonObject): boolean {
  if (stream === undefined || stream === null || typeof stream === "boolean") return stream === true;
  throw malformed("'stream' must be boolean.");
}

/** Refuses `stream_options` that OpenAI would refuse. @throws GatewayError `malformed_body` */
export function checkStreamOptions({ stream_options: options }: JsonObject): void {
  if (options === undefined || options === null) return;
  if (!isJsonObject(options)) throw malformed("'stream_options' must be an object.");
  const usage = options["include_usage"];
  if (usage !== undefined && usage !== null && typeof usage !== "boolean") {
    throw malformed("'stream_options.include_usage' must be boolean.");
  }
}

/** Refuses an `n` that is not a whole number within bounds. @throws GatewayError `malformed_body` */
export function checkChoices({ n }: JsonObject): void {
  if (n === undefined || n === null) return;
  if (typeof n === "number" && Number.isInteger(n) && n >= 1 && n <= choicesMax) return;
  throw malformed(`'n' must be a whole number from 1 to ${choicesMax}.`);
}

/** Refuses a limit of an answer's tokens below 1, as OpenAI does. @throws GatewayError `malformed_body` */
export function checkLimit(body: JsonObject, name: string): void {
  const limit = body[name];
  if (limit === undefined || limit === null) return;
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 1) return;
  throw malformed(`'${name}' must be a whole number of at least 1.`);
}

function parseMessages({ messages }: JsonObject): ChatMessage[] {
  if (messages === undefined) throw malformed("'messages' is required: an array of {role, content}.");
  if (!Array.isArray(messages)) throw malformed("'messages' must be an array of {role, content}.");
  if (messages.length === 0) throw malformed("'messages' must not be empty.");
  if (messages.length > messagesMax) throw malformed(`'messages' must have at most ${messagesMax} entries.`);
  messages.forEach(checkMessage);
  return messages as ChatMessage[];
}

function checkMessage(message: unknown, index: number): void {
  const at = `'messages[${index}]`;
  if (!isJsonObject(message)) throw malformed(`${at}' must be an object {role, content}.`);
  const { role, content } = message;
  if (typeof role !== "string" || !roles.has(role)) {
    throw malformed(`${at}.role' must be system, developer, user, assistant, tool or function.`);
  }
  if (typeof content === "string") return;
  if (Array.isArray(content)) {
    if (content.every(isJsonObject)) return;
    throw malformed(`${at}.content' must hold objects only, each a content part with a type.`);
  }
  const isAbsent = content === undefined || content === null;
  if (isAbsent && rolesWithoutContent.has(role)) return;
  throw malformed(`${at}.content' must be a string or an array of content parts.`);
}
