import assert from "node:assert/strict";
import { textsOfContentInSteps, toSendableInSteps } from "@gatehouse/content";
import {
  type ChatRequest,
  compilePromptTemplate,
  parseChatRequest,
  parseEmbeddingsRequest,
  parseTextCompletionRequest,
  parseWrapperRequest,
} from "@gatehouse/dialects";
import { isGatewayError } from "@gatehouse/errors";
import { parseJsonBody } from "@gatehouse/http";
import type { JsonObject } from "@gatehouse/json";
import { compileSchema } from "@gatehouse/json-schema";
import { runAtOnce } from "@gatehouse/pace";

/** Parses a body, and traverses all that may reach a model. */
function readBody(parse: (body: unknown) => ChatRequest): (bytes: Buffer) => Promise<void> {
  return async (bytes) => {
    const { value } = await parseJsonBody(bytes);
    const texts = runAtOnce(textsOfContentInSteps(runAtOnce(toSendableInSteps(parse(value)))));
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

/** Compiles a tenant's schema or refuses it, and then validates any value. */
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
    name: "text-completion-body",
    seeds: [
      '{"model":"support","prompt":"Hello","max_tokens":5,"stop":["a"],"n":1}',
      '{"model":"a","prompt":["x"],"suffix":""}',
    ],
    words: ['"prompt":', '"echo":false', '"best_of":1', "[]", "null", '"stream":true'],
    run: readBody(parseTextCompletionRequest),
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
