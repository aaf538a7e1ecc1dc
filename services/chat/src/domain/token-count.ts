/** Tokens that OpenAI adds for each message and for the start of the answer (cookbook, "How to count tokens"). */
const tokensPerMessage = 3;
const tokensPerReply = 3;

type Encoder = (text: string) => number;

/** Loading the vocabulary takes a fifth of a second and 70 MB, so it happens with the first count and once. */
let encoder: Promise<Encoder> | undefined;

async function loadEncoder(): Promise<Encoder> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // What looks like a control token in a prompt is counted as the text it is.
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => countTokens(text, asText);
}

/** Tokens of a text in OpenAI's current encoding (o200k_base); an estimate for models that use another. */
export async function countTokens(text: string): Promise<number> {
  encoder ??= loadEncoder();
  const count = await encoder;
  return count(text);
}

export interface CountedMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** Tokens of a whole prompt: roles, texts and the frame around each message. Pictures and files are not counted. */
export async function countMessageTokens(messages: readonly CountedMessage[]): Promise<number> {
  let tokens = tokensPerReply;
  for (const { role, content } of messages) {
    tokens += tokensPerMessage + (await countTokens(role)) + (await countTokens(textOf(content)));
  }
  return tokens;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { readonly text?: unknown } | null) => (typeof part?.text === "string" ? part.text : ""))
    .join("");
}

/** The text of tokens in cl100k_base, which OpenAI's embedding models use; undefined where a number is no token of it. */
export async function decodeTokens(tokens: readonly number[]): Promise<string | undefined> {
  const { decode } = await import("gpt-tokenizer/encoding/cl100k_base");
  try {
    return decode(tokens);
  } catch {
    return undefined;
  }
}
