import type { JsonObject } from "@gatehouse/json";
import { type ChatRequest, checkBody, malformed, parseVariables } from "../chat/chat-request.ts";
import {
  checkChoices,
  checkLimit,
  checkStreamOptions,
  parametersOf,
  parseModel,
  parseStream,
} from "./wrapper-request.ts";

/** Fields of OpenAI's completions without a counterpart in chat completions, with a check for values that have no effect. */
const noOps: Readonly<Record<string, (value: unknown, body: JsonObject) => boolean>> = {
  suffix: (value) => value === "",
  echo: (value) => value === false,
  logprobs: () => false,
  best_of: (value, { n }) => value === (n ?? 1),
};

/**
 * Checks the body of OpenAI's completions, and converts it to a chat with the prompt as its user message, the only input of
 * current models. Everything else is a parameter.
 * @throws GatewayError `malformed_body` that names the field and how to fix it.
 */
export function parseTextCompletionRequest(body: unknown): ChatRequest {
  checkBody(body);
  const slug = parseModel(body);
  const messages = [{ role: "user", content: parsePrompt(body) }];
  for (const [name, isNoOp] of Object.entries(noOps)) {
    const value = body[name];
    if (value === undefined || value === null || isNoOp(value, body)) continue;
    throw malformed(`'${name}' is not supported, because the prompt goes to a chat model. Leave it out.`);
  }
  checkStreamOptions(body);
  checkChoices(body);
  checkLimit(body, "max_tokens");
  const own = new Set(["prompt", ...Object.keys(noOps)]);
  const parameters = Object.fromEntries(Object.entries(parametersOf(body)).filter(([name]) => !own.has(name)));
  const variables = parseVariables(body["variables"]);
  return { slug, messages, stream: parseStream(body), sessionId: undefined, variables, parameters, asSent: body };
}

/** One prompt per call, so that limits and the log mean the same as elsewhere. */
function parsePrompt({ prompt }: JsonObject): string {
  if (prompt === undefined || prompt === null) throw malformed("'prompt' is required: a string.");
  if (typeof prompt === "string") return prompt;
  if (Array.isArray(prompt)) {
    const [only] = prompt as readonly unknown[];
    if (prompt.length === 1 && typeof only === "string") return only;
    if (prompt.every((entry) => typeof entry === "string")) {
      throw malformed("'prompt' must be one text: send each of several in a separate call.");
    }
  }
  throw malformed("'prompt' must be a string; tokens are not accepted.");
}
