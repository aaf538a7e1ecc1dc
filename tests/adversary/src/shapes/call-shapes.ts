import { copies, nested, numbered, type Shape } from "./shape.ts";

function chat(name: string, build: Shape["build"]): Shape {
  return { name, family: "chat", build };
}

const hello = '"messages":[{"role":"user","content":"Hello"}]';

/** Members of chat bodies; routes ignore or refuse unknown ones. */
export const chatShapes: readonly Shape[] = [
  chat("tiny messages", (bytes) => `"messages":[${numbered(() => '{"role":"user","content":"a"}', bytes)}]`),
  chat("messages with an e-mail address", (bytes) => {
    const letter = copies("a@b.co ", 300);
    return `"messages":[${numbered(() => `{"role":"user","content":"${letter}"}`, bytes)}]`;
  }),
  chat("empty messages", (bytes) => `"messages":[${numbered(() => '{"role":"user","content":""}', bytes)}]`),
  chat("unknown roles", (bytes) => `"messages":[${numbered((at) => `{"role":"r${at}","content":"a"}`, bytes)}]`),
  chat("one message of tiny parts", (bytes) => {
    const parts = numbered(() => '{"type":"text","text":"a"}', bytes);
    return `"messages":[{"role":"user","content":[${parts}]}]`;
  }),
  chat("parts of unknown type", (bytes) => {
    const parts = numbered((at) => `{"type":"t${at}","data":"a"}`, bytes);
    return `"messages":[{"role":"user","content":[${parts}]}]`;
  }),
  chat("many tools", (bytes) => {
    const make = (at: number) => `{"type":"function","function":{"name":"f${at}","description":"d","parameters":{}}}`;
    return `${hello},"tools":[${numbered(make, bytes)}]`;
  }),
  chat("one tool with a long description", (bytes) => {
    const described = `{"name":"f","description":"${copies("describe ", bytes)}","parameters":{}}`;
    return `${hello},"tools":[{"type":"function","function":${described}}]`;
  }),
  chat("one tool with a deep schema", (bytes) => {
    const parameters = nested('{"items":', "}", { bytes, kernel: "{}" });
    return `${hello},"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
  }),
  chat("many tool calls", (bytes) => {
    const make = (at: number) => `{"id":"c${at}","type":"function","function":{"name":"f","arguments":"{}"}}`;
    const caller = `{"role":"assistant","content":null,"tool_calls":[${numbered(make, bytes)}]}`;
    return `"messages":[${caller},{"role":"user","content":"Hello"}]`;
  }),
  chat("one tool call with deep arguments", (bytes) => {
    const call = `{"id":"c","type":"function","function":{"name":"f","arguments":"${nested("[", "]", { bytes })}"}}`;
    return `"messages":[{"role":"assistant","content":null,"tool_calls":[${call}]},{"role":"user","content":"Hello"}]`;
  }),
  chat("one image as a data URL", (bytes) => {
    const url = `data:image/png;base64,${copies("iVBORw0KGgo", bytes)}`;
    return `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"${url}"}}]}]`;
  }),
  chat("many images", (bytes) => {
    const images = numbered((at) => `{"type":"image_url","image_url":{"url":"https://i.example/${at}"}}`, bytes);
    return `"messages":[{"role":"user","content":[${images}]}]`;
  }),
  chat("many variables", (bytes) => `"message":"Hello","variables":{${numbered((at) => `"v${at}":"x"`, bytes)}}`),
  chat("one long variable", (bytes) => `"message":"Hello","variables":{"a":"${copies("{{a}}", bytes)}"}`),
  chat("an answer's schema", (bytes) => {
    const properties = numbered((at) => `"p${at}":{"type":"string"}`, bytes);
    const schema = `{"name":"s","schema":{"type":"object","properties":{${properties}}}}`;
    return `${hello},"response_format":{"type":"json_schema","json_schema":${schema}}`;
  }),
  chat("many stop sequences", (bytes) => `${hello},"stop":[${numbered((at) => `"s${at}"`, bytes)}]`),
  chat("many biases", (bytes) => `${hello},"logit_bias":{${numbered((at) => `"${at}":1`, bytes)}}`),
];

function embeddings(name: string, build: Shape["build"]): Shape {
  return { name, family: "embeddings", build };
}

export const embeddingsShapes: readonly Shape[] = [
  embeddings("one token id many times", (bytes) => `[${numbered(() => "187", bytes)}]`),
  embeddings("different token ids", (bytes) => `[${numbered((at) => String((at * 7_919) % 100_000), bytes)}]`),
  embeddings("lists of one token id", (bytes) => `[${numbered(() => "[187]", bytes)}]`),
  embeddings("tiny inputs", (bytes) => `[${numbered(() => '"a"', bytes)}]`),
  embeddings("one long input", (bytes) => `"${copies("a", bytes)}"`),
  embeddings("ids out of range", (bytes) => `[${numbered(() => "99999999", bytes)}]`),
];

function rpc(name: string, build: Shape["build"]): Shape {
  return { name, family: "rpc", build };
}

function batchOf(member: (index: number) => string): Shape["build"] {
  return (bytes) => `[${numbered(member, bytes)}]`;
}

/** JSON-RPC bodies for the MCP routes and the Control Plane. */
export const rpcShapes: readonly Shape[] = [
  rpc(
    "a batch of pings",
    batchOf((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`),
  ),
  rpc(
    "a batch of lists",
    batchOf((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`),
  ),
  rpc(
    "a batch of calls of no tool",
    batchOf((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t${id}"}}`),
  ),
  rpc(
    "a batch of notifications",
    batchOf(() => '{"jsonrpc":"2.0","method":"notifications/initialized"}'),
  ),
  rpc(
    "a batch of invalid members",
    batchOf(() => "1"),
  ),
  rpc(
    "a batch of batches",
    batchOf(() => "[]"),
  ),
  rpc("nested batches", (bytes) => nested("[", "]", { bytes })),
  rpc("a long id", (bytes) => `{"jsonrpc":"2.0","id":"${copies("i", bytes)}","method":"ping"}`),
  rpc("a long method", (bytes) => `{"jsonrpc":"2.0","id":1,"method":"${copies("m", bytes)}"}`),
  rpc(
    "a long tool name",
    (bytes) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${copies("up__", bytes)}"}}`,
  ),
  rpc(
    "deep parameters",
    (bytes) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested('{"a":', "}", { bytes, kernel: "1" })}}`,
  ),
];

function stream(name: string, build: Shape["build"]): Shape {
  return { name, family: "stream", build };
}

function delta(content: string): string {
  return `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${content},"finish_reason":null}]}\n\n`;
}

/** Event streams of providers and MCP servers. */
export const streamShapes: readonly Shape[] = [
  stream("tiny events", (bytes) => copies("data: 1\n\n", bytes)),
  stream("comments", (bytes) => copies(":\n", bytes)),
  stream("empty lines", (bytes) => copies("\n", bytes)),
  stream("carriage returns", (bytes) => copies("data:\r", bytes)),
  stream("data lines without an end", (bytes) => copies("data: a\n", bytes)),
  stream("one long data line", (bytes) => `data: ${copies("a", bytes)}\n\n`),
  stream("one line without an end", (bytes) => copies("data: a", bytes)),
  stream("fields without a colon", (bytes) => copies("data\n", bytes)),
  stream("ids", (bytes) => numbered((at) => `id: ${at}`, bytes, "\n")),
  stream("one letter a delta", (bytes) => copies(delta('{"content":"a"}'), bytes)),
  stream("tool calls by delta", (bytes) =>
    numbered(
      (at) => delta(`{"tool_calls":[{"index":${at},"id":"c${at}","function":{"name":"f","arguments":"{"}}]}`),
      bytes,
      "",
    ),
  ),
  stream("one tool call in tiny pieces", (bytes) =>
    copies(delta('{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}'), bytes),
  ),
  stream("deep data", (bytes) => `data: ${nested("[", "]", { bytes })}\n\n`),
];
