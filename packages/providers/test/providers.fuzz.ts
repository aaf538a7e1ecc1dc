import assert from "node:assert/strict";
import { fromErrorReply } from "../src/exchange/error-reply.ts";
import { parseCompletion, parseCompletionChunk } from "../src/openai/parse-completion.ts";
import { parseEmbeddings } from "../src/openai/parse-embeddings.ts";

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const completion =
  '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}';
const chunk =
  '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hi","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]},"finish_reason":null}]}';

/** Any reply parses as a completion or as none; no error reply crashes its reader or reveals a secret. */
function readReply(bytes: Buffer): void {
  const json = parsed(bytes);
  parseCompletion(json, 1);
  parseCompletionChunk(json, 1);
  parseEmbeddings(json, "m", 1);
  const secret = "sk-secret-of-the-operator";
  const error = fromErrorReply({
    provider: "p",
    status: 400,
    retryAfterSeconds: undefined,
    body: bytes.toString(),
    secrets: [secret],
  });
  assert.ok(!error.message.includes(secret));
}

export const fuzzTargets = [
  {
    name: "provider-reply",
    seeds: [
      completion,
      chunk,
      '{"error":{"message":"no","type":"invalid_request_error","code":"c"}}',
      '{"object":"list","data":[{"index":0,"embedding":[0.5]}],"usage":{"prompt_tokens":1}}',
    ],
    words: ['"choices":', '"delta":', '"usage":', "1e309", "-1", "sk-secret-of-the-operator"],
    run: readReply,
    isDeclared: () => false,
  },
];
