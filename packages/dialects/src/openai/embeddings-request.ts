import type { JsonObject } from "@gatehouse/json";
import { nextTurn } from "@gatehouse/pace";
import type { ChatMessage } from "@gatehouse/providers";
import type { DecodeTokens } from "@gatehouse/tokens";
import { type ChatRequest, checkBody, malformed, parseVariables } from "../chat/chat-request.ts";
import { parametersOf, parseModel } from "./wrapper-request.ts";

/** Most inputs of one request; OpenAI's bound. */
const inputsMax = 2_048;
const dimensionsMax = 1_000_000;

/** Most tokens of one input, and of all inputs; OpenAI's bounds. */
const inputTokensMax = 8_192;
const tokensMax = 300_000;

/**
 * Checks the parts of an embeddings body that the gateway reads: the alias in `model`, `input`, `encoding_format` and
 * `dimensions`. Inputs become user messages, which the pipeline's steps can read; tokens are decoded by {@link decodeInputs} and
 * sent on as the judged text. Everything else is a parameter.
 * @throws GatewayError `malformed_body` that names the field and how to fix it.
 */
export function parseEmbeddingsRequest(body: unknown): ChatRequest {
  checkBody(body);
  const slug = parseModel(body);
  const inputs = parseInput(body);
  checkEncoding(body);
  checkDimensions(body);
  const { input, ...parameters } = parametersOf(body);
  const texts = inputs.filter((entry) => typeof entry === "string");
  return {
    operation: "embeddings",
    slug,
    messages: texts.map(toMessage),
    isSingleInput: !Array.isArray(input) || isTokens(input),
    ...(texts.length === inputs.length ? {} : { tokenInputs: inputs.filter((entry) => typeof entry !== "string") }),
    stream: false,
    sessionId: undefined,
    variables: parseVariables(body["variables"]),
    parameters,
    asSent: body,
  };
}

function toMessage(content: string): ChatMessage {
  return { role: "user", content };
}

/**
 * Decodes inputs given as tokens; yields to other requests between inputs.
 * @throws GatewayError `malformed_body` for a number that is not a token.
 */
export async function decodeInputs(request: ChatRequest, decode: DecodeTokens): Promise<ChatRequest> {
  const { tokenInputs, ...rest } = request;
  if (tokenInputs === undefined) return request;
  const decoded: ChatMessage[] = [];
  let tokens = 0;
  for (const input of tokenInputs) {
    const text = decode(input);
    if (text === undefined) throw malformed(`${inputForm} of the encoding cl100k_base.`);
    decoded.push(toMessage(text));
    tokens += input.length;
    if (tokens < tokensPerTurn) continue;
    tokens = 0;
    await nextTurn();
  }
  return { ...rest, messages: decoded };
}

/** Tokens decoded in one turn of the event loop; about 2 ms. */
const tokensPerTurn = 4_096;

type Input = string | readonly number[];

const inputForm = "'input' must be a string, an array of strings, or tokens";

function parseInput({ input }: JsonObject): readonly Input[] {
  if (input === undefined) throw malformed("'input' is required: the text to embed, or an array of texts.");
  const inputs: readonly unknown[] = Array.isArray(input) && !isTokens(input) ? input : [input];
  if (inputs.length === 0) throw malformed("'input' must not be empty.");
  if (inputs.length > inputsMax) throw malformed(`'input' must have at most ${inputsMax} entries.`);
  if (inputs.every((value) => typeof value === "string") || inputs.every(isTokens)) {
    if (inputs.some(({ length }) => length === 0)) throw malformed("'input' must not hold an empty text.");
    checkTokens(inputs);
    return inputs;
  }
  throw malformed(`${inputForm}.`);
}

function isTokens(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token) && token >= 0);
}

function checkTokens(inputs: readonly Input[]): void {
  let tokens = 0;
  for (const input of inputs) {
    if (typeof input === "string") continue;
    if (input.length > inputTokensMax)
      throw malformed(`'input' must have at most ${inputTokensMax} tokens in one entry.`);
    tokens += input.length;
  }
  if (tokens > tokensMax) throw malformed(`'input' must have at most ${tokensMax} tokens in all entries together.`);
}

function checkEncoding({ encoding_format: format }: JsonObject): void {
  if (format === undefined || format === null || format === "float" || format === "base64") return;
  throw malformed("'encoding_format' must be float or base64.");
}

function checkDimensions({ dimensions }: JsonObject): void {
  if (dimensions === undefined || dimensions === null) return;
  if (
    typeof dimensions === "number" &&
    Number.isInteger(dimensions) &&
    dimensions >= 1 &&
    dimensions <= dimensionsMax
  ) {
    return;
  }
  throw malformed(`'dimensions' must be a whole number from 1 to ${dimensionsMax}.`);
}
