import assert from "node:assert/strict";
import { isGatewayError } from "@gatehouse/errors";
import { parseJsonBody } from "@gatehouse/http";
import { EventStreamParser } from "../src/clients/providers/event-stream/event-stream-parser.ts";
import { fromErrorReply } from "../src/clients/providers/exchange/error-reply.ts";
import { parseCompletion, parseCompletionChunk } from "../src/clients/providers/openai/parse-completion.ts";
import { parseEmbeddings } from "../src/clients/providers/openai/parse-embeddings.ts";
import { type ChatRequest, parseChatRequest } from "../src/domain/chat-request.ts";
import { parseEmbeddingsRequest } from "../src/domain/embeddings-request.ts";
import type { JsonObject } from "../src/domain/endpoint.ts";
import { compilePromptTemplate } from "../src/domain/prompt-template.ts";
import { textsOfContent, toSendable } from "../src/domain/request-content.ts";
import { compileSchema } from "../src/domain/schema/compile-schema.ts";
import { parseWrapperRequest } from "../src/domain/wrapper-request.ts";

/** A body through its parser and through the walk over what may reach a model. */
function readBody(parse: (body: unknown) => ChatRequest): (bytes: Buffer) => Promise<void> {
  return async (bytes) => {
    const { value } = await parseJsonBody(bytes);
    const texts = textsOfContent(toSendable(parse(value)));
    for (const { text } of texts) assert.ok(text.isWellFormed(), "A judged text has half a surrogate pair.");
  };
}

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

/** Whatever a provider says is a completion or none; no error reply of it stops the one who reads it, or shows a secret. */
function readReply(bytes: Buffer): void {
  const json = parsed(bytes);
  parseCompletion(json, 1);
  parseCompletionChunk(json, 1);
  parseEmbeddings(json, "m");
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

/** The first byte says where the stream is cut; the events are the same as of the whole. */
function readStream(bytes: Buffer): void {
  const [size = 0] = bytes;
  const stream = bytes.subarray(1);
  const step = 1 + (size % 64);
  const whole = new EventStreamParser();
  const pieces = new EventStreamParser();
  const events = [...whole.push(stream), whole.end()];
  const piecewise = [];
  for (let at = 0; at < stream.length; at += step) piecewise.push(...pieces.push(stream.subarray(at, at + step)));
  assert.deepEqual([...piecewise, pieces.end()], events);
}

/** A schema of a tenant compiles or is refused, and then judges any value. */
function readSchema(bytes: Buffer): void {
  const schema = parsed(bytes);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  const { check } = compileSchema(schema as JsonObject, "input_schema");
  for (const value of ["aaaaaaaaaaaaaaaaaaaaaaaa!", [1, 1, {}], { a: { b: [null] } }, 1e300]) check(value, 100_000);
}

function readTemplate(bytes: Buffer): void {
  const render = compilePromptTemplate(bytes.toString(), "system_prompt");
  render({ a: "{{a}}", b: 1, c: true });
}

const refusals = {
  words: ['"role":"user"', '"content":', '"type":"text"', "null", "[]", "{}", '"stream":true'],
  isDeclared: isGatewayError,
};
const messages = '"messages":[{"role":"user","content":"Hello"}]';
const parts =
  '"messages":[{"role":"user","name":"n","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO"}}]}]';
const tools =
  '"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","enum":["x"]}}}],"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{}}}';

export const fuzzTargets = [
  {
    ...refusals,
    name: "chat-body",
    seeds: [
      '{"message":"Hello","variables":{"a":"b","n":1},"session_id":"3f2a6c1e-0f5b-4d3e-9a51-2f6f0c9b7d10"}',
      `{"endpoint":"support",${messages},"stream":true}`,
    ],
    run: readBody((body) => parseChatRequest(body, undefined)),
  },
  {
    ...refusals,
    name: "wrapper-body",
    seeds: [
      `{"model":"a",${messages},"max_tokens":5,"stop":["x"],"logit_bias":{"1":2}}`,
      `{"model":"a",${parts},${tools}}`,
      '{"model":"a","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}]}',
    ],
    run: readBody((body) => parseWrapperRequest(body)),
  },
  {
    ...refusals,
    name: "embeddings-body",
    seeds: [
      '{"model":"a","input":"text"}',
      '{"model":"a","input":["a","b"],"dimensions":8,"encoding_format":"base64"}',
      '{"model":"a","input":[[1,2],[3]]}',
    ],
    run: readBody((body) => parseEmbeddingsRequest(body)),
  },
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
  {
    name: "provider-stream",
    seeds: [
      `\u0003data: ${chunk}\n\ndata: [DONE]\n\n`,
      "\u0001:c\r\nevent: a\rdata: b\ndata:c\n\nid: 1\ndata\n\n",
      "\u0002\uFEFFdata: é\r\n\r\n",
    ],
    words: ["data:", "data: ", "event: ", "\r", "\r\n\r\n", ":", "retry: 1", "id: \0"],
    run: readStream,
    isDeclared: (err: unknown) => err instanceof RangeError,
  },
  {
    name: "tenant-schema",
    seeds: [
      '{"type":"object","properties":{"a":{"type":"string","pattern":"^a+$","format":"email"}},"required":["a"]}',
      '{"anyOf":[{"type":"array","uniqueItems":true,"contains":{"const":1}},{"$ref":"#/$defs/d"}],"$defs":{"d":{"enum":[1,{}]}}}',
      '{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}],"not":{"minimum":1}}',
    ],
    words: [
      '"pattern":"(a|b)*"',
      '"$ref":"#"',
      '"$ref":"#/',
      '"uniqueItems":true',
      '"$dynamicRef":"#a"',
      '"$id":"x"',
      '"if":{}',
      '"unevaluatedProperties":false',
      '"format":"uri"',
    ],
    run: readSchema,
    isDeclared: isGatewayError,
  },
  {
    name: "prompt-template",
    seeds: ["Answer {{a}} in {{{b}}} words.{{! note }}", "{{& c }}"],
    words: ["{{", "}}", "{{#a}}", "{{/a}}", "{{>a}}", "{{=<% %>=}}", "{{{", "}}}", "{{^"],
    run: readTemplate,
    isDeclared: isGatewayError,
  },
];
