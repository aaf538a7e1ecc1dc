import { type ChatRequest, isObject, malformed, parseVariables } from "./chat-request.ts";
import { rememberWireText } from "./completion.ts";
import type { JsonObject } from "./endpoint.ts";
import { splitJsonFields } from "./json-fields.ts";
import { parametersOf, parseModel } from "./wrapper-request.ts";

/** Inputs of one request; OpenAI's own bound. */
const inputsMax = 2_048;
const dimensionsMax = 1_000_000;

/** Turns tokens of OpenAI's embedding models into text; undefined where a number is no token. */
export type DecodeTokens = (tokens: readonly number[]) => Promise<string | undefined>;

/**
 * Checks the body of OpenAI's embeddings as far as the gateway reads it: the alias in `model`, `input`, `encoding_format`
 * and `dimensions`. The inputs become user messages, so that the steps of the pipeline see what is embedded; tokens are
 * decoded for them. All else passes untouched. `text` is the JSON text that `body` was parsed from.
 * @throws GatewayError `malformed_body` naming the field and how to mend it.
 */
export async function parseEmbeddingsRequest(
  body: unknown,
  text: string,
  decodeTokens: DecodeTokens,
): Promise<ChatRequest> {
  if (!isObject(body)) throw malformed("Request body must be a JSON object.");
  const slug = parseModel(body);
  const texts = await Promise.all(parseInput(body).map(async (input) => await toText(input, decodeTokens)));
  checkEncoding(body);
  checkDimensions(body);
  const fields = splitJsonFields(text);
  const messages = texts.map((content) => ({ role: "user", content }));
  return {
    operation: "embeddings",
    slug,
    messages: rememberWireText(messages, fields.get("input") ?? ""),
    stream: false,
    sessionId: undefined,
    variables: parseVariables(body["variables"]),
    parameters: parametersOf(body, fields),
    asSent: body,
  };
}

type Input = string | readonly number[];

const inputForm = "'input' must be a string, an array of strings, or tokens";

function parseInput({ input }: JsonObject): readonly Input[] {
  if (input === undefined) throw malformed("'input' is required: the text to embed, or an array of texts.");
  const inputs: readonly unknown[] = Array.isArray(input) && !isTokens(input) ? input : [input];
  if (inputs.length === 0) throw malformed("'input' must not be empty.");
  if (inputs.length > inputsMax) throw malformed(`'input' must have at most ${inputsMax} entries.`);
  if (inputs.every((value) => typeof value === "string") || inputs.every(isTokens)) {
    if (inputs.every(({ length }) => length > 0)) return inputs;
    throw malformed("'input' must not hold an empty text.");
  }
  throw malformed(`${inputForm}.`);
}

function isTokens(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token) && token >= 0);
}

async function toText(input: Input, decodeTokens: DecodeTokens): Promise<string> {
  if (typeof input === "string") return input;
  const text = await decodeTokens(input);
  if (text === undefined) throw malformed(`${inputForm} of the encoding cl100k_base.`);
  return text;
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
