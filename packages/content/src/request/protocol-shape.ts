import { schemaShape } from "./schema-shape.ts";
import {
  content,
  isSmall,
  listOf,
  mapOf,
  object,
  ofTool,
  oneOf,
  type Shape,
  smallNumber,
  texts,
  withFields,
} from "./shape.ts";

/**
 * Names and values of OpenAI's chat completions and embeddings that belong to the protocol. Source: OpenAI API reference, "Chat
 * Completions" and "Embeddings", with the members that compatible servers have added.
 */

const cacheControl = object({ type: oneOf("ephemeral"), ttl: oneOf("5m", "1h") });

const imageUrl: Shape = {
  ...object({ url: { media: "image" }, detail: oneOf("auto", "low", "high") }),
  media: "image",
};

const audioFormats = oneOf("wav", "mp3", "flac", "opus", "pcm16", "aac", "ogg", "m4a");

const part = object({
  type: oneOf("text", "refusal", "image_url", "input_audio", "video_url", "file"),
  text: content,
  refusal: texts,
  image_url: imageUrl,
  video_url: { ...object({ url: { media: "video" } }), media: "video" },
  input_audio: object({ data: { media: "audio" }, format: audioFormats }),
  file: object({ file_id: texts, filename: texts, file_data: { media: "file" } }),
  cache_control: cacheControl,
});

const called = object({ name: texts, arguments: texts });

const customCalled = object({ name: texts, input: texts });

const toolCall = object({
  id: texts,
  index: smallNumber,
  type: oneOf("function", "custom"),
  function: called,
  custom: customCalled,
});

/** Roles of the chat protocol. */
export const messageRoles: ReadonlySet<string> = new Set([
  "system",
  "developer",
  "user",
  "assistant",
  "tool",
  "function",
]);

/** A message of the chat protocol: known members hold no caller's text unless declared here. */
export const messageShape = object({
  role: oneOf(...messageRoles),
  content: { ...content, ...listOf(part) },
  name: texts,
  refusal: texts,
  reasoning: texts,
  reasoning_content: texts,
  audio: object({ id: texts }),
  images: listOf(part),
  tool_calls: listOf(toolCall),
  tool_call_id: texts,
  function_call: called,
  cache_control: cacheControl,
});

const calledTool = ofTool(called, "name", "arguments");

/** Shape of a message with tools that marks their members; slightly slower to walk. */
export const toolMessageShape = ofTool(
  withFields(messageShape, {
    // Some servers also accept Anthropic's parts `tool_use` and `tool_result`.
    content: { ...content, ...listOf(ofTool(part, "name", "input", "content")) },
    tool_calls: listOf(withFields(toolCall, { function: calledTool, custom: ofTool(customCalled, "name", "input") })),
    function_call: calledTool,
  }),
  "content",
);

const functionDefinition = object({ name: texts, description: texts, strict: texts, parameters: schemaShape });

const tool = object({
  type: oneOf("function", "custom"),
  function: functionDefinition,
  custom: object({
    name: texts,
    description: texts,
    format: object({
      type: oneOf("text", "grammar"),
      grammar: object({ syntax: oneOf("lark", "regex"), definition: texts }),
    }),
  }),
  cache_control: cacheControl,
});

const choosing = oneOf("auto", "none", "required");

const toolChoice: Shape = {
  ...choosing,
  ...object({
    type: oneOf("function", "custom", "allowed_tools"),
    function: object({ name: texts }),
    custom: object({ name: texts }),
    allowed_tools: object({ mode: choosing, tools: listOf(tool) }),
  }),
};

/** Biases of tokens by id: a model never reads the ids as text. */
const logitBias: Shape = {
  isName: (name) => /^[0-9]{1,6}$/.test(name),
  others: { isConstant: isSmall },
};

const location = object({ city: texts, country: texts, region: texts, timezone: texts });

/** Shape of a request's parameters, for chat completions and embeddings alike; unknown members are a caller's text. */
export const parametersShape = object({
  ...Object.fromEntries(
    [
      "temperature", "top_p", "top_k", "min_p", "top_a", "presence_penalty", "frequency_penalty", "repetition_penalty",
      "n", "max_tokens", "max_completion_tokens", "top_logprobs", "best_of", "seed", "dimensions",
    ].map((name) => [name, smallNumber]), // prettier-ignore
  ),
  tools: listOf(tool),
  tool_choice: toolChoice,
  functions: listOf(functionDefinition),
  function_call: { ...choosing, ...object({ name: texts }) },
  response_format: object({
    type: oneOf("text", "json_object", "json_schema"),
    json_schema: object({ name: texts, description: texts, strict: texts, schema: schemaShape }),
  }),
  prediction: object({ type: oneOf("content"), content: listOf(part) }),
  logit_bias: logitBias,
  metadata: mapOf(texts),
  modalities: oneOf("text", "audio", "image"),
  audio: object({ voice: texts, format: audioFormats }),
  reasoning_effort: oneOf("none", "minimal", "low", "medium", "high", "xhigh"),
  verbosity: oneOf("low", "medium", "high"),
  service_tier: oneOf("auto", "default", "flex", "scale", "priority"),
  prompt_cache_retention: oneOf("in_memory", "in-memory", "24h"),
  encoding_format: oneOf("float", "base64"),
  stream_options: object({ include_usage: texts, include_obfuscation: texts }),
  web_search_options: object({
    search_context_size: oneOf("low", "medium", "high"),
    user_location: object({ type: oneOf("approximate"), approximate: location }),
  }),
  stop: texts,
  user: texts,
  safety_identifier: texts,
  prompt_cache_key: texts,
  logprobs: texts,
  parallel_tool_calls: texts,
  store: texts,
});
