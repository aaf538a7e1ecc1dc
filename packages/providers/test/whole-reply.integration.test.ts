import { afterEach, expect, test } from "vitest";
import { wholeReplyBytesMax } from "../src/ai-sdk/read-whole-reply.ts";
import { startEmulatedServer } from "../src/testing/emulated-server.ts";
import { piecesOf, readTranscript } from "../src/testing/transcript.ts";
import { createCaller, failureOf, readStream } from "./calling.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** Sends a reply of Anthropic's with these parts, as text. */
async function replying(content: string) {
  const usage = '{"input_tokens":1,"output_tokens":1}';
  const reply = `{"id":"m","type":"message","role":"assistant","model":"c","content":[${content}],"stop_reason":"end_turn","usage":${usage}}`;
  const server = await startEmulatedServer((res) => {
    res.writeHead(200, { "content-type": "application/json" }).end(reply);
  });
  const caller = createCaller({ kind: "anthropic", baseUrl: `${server.url}/v1` });
  open.push(caller, server);
  return caller;
}

const text = (value: string) => `{"type":"text","text":"${value}"}`;
const many = (count: number, item: string) => Array.from({ length: count }, () => item).join();

test("a reply just below the bound is read", async () => {
  const length = wholeReplyBytesMax - 1_024;
  const { choices } = await (await replying(text("a".repeat(length)))).complete();
  expect(choices[0]?.message.content).toHaveLength(length);
});

test.each([
  ["16 MiB", () => text("a".repeat(16 * 1024 * 1024)), `more than ${wholeReplyBytesMax} bytes`],
  [
    "a million numbers",
    () => `{"type":"tool_use","id":"t","name":"f","input":[${many(1_000_000, "1")}]}`,
    "acme sent a reply that exceeds a bound of the gateway: it must not hold more than 300000 values",
  ],
  ["30,000 parts", () => many(30_000, text("a")), "20000 arrays and objects"],
  [
    "200 levels",
    () => `{"type":"tool_use","id":"t","name":"f","input":${"[".repeat(200)}${"]".repeat(200)}}`,
    "128 levels deep",
  ],
])("a reply of %s is malformed, and is not parsed", async (_what, content, problem) => {
  const failure = await failureOf((await replying(content())).complete());
  expect(failure).toMatchObject({ failure: "malformed", isFree: false });
  expect(failure.message).toContain(problem);
});

/** Caller of a provider whose stream has this content type, as one header or several. */
async function streaming(kind: "anthropic" | "openai", type: string | string[], pieces: readonly (string | Buffer)[]) {
  const server = await startEmulatedServer((res) => {
    res.setHeader("content-type", type);
    for (const piece of pieces) res.write(piece);
    res.end();
  });
  const caller = createCaller({ kind, baseUrl: `${server.url}/v1` });
  open.push(caller, server);
  return caller;
}

test.each([
  ["text/event-stream"],
  ["Text/Event-Stream"],
  ["text/plain"],
  ["application/vnd.amazon.eventstream"],
  [["text/event-stream", "text/event-stream"]],
])("an event of a stream of type %j that does not end is malformed", async (type) => {
  const line = `data: ${"a".repeat(64 * 1024)}\n`;
  const lines = Array.from({ length: Math.ceil(wholeReplyBytesMax / line.length) + 1 }, () => line);
  const failure = await failureOf((await streaming("anthropic", type, lines)).stream());
  expect(failure).toMatchObject({ failure: "malformed" });
  expect(failure.message).toContain(`an event of more than ${wholeReplyBytesMax} bytes`);
});

test("an event of an OpenAI stream that does not end is malformed, and the bound is named", async () => {
  const line = `data: ${"a".repeat(64 * 1024)}\n`;
  const lines = Array.from({ length: 129 }, () => line);
  const failure = await failureOf((await streaming("openai", "text/event-stream", lines)).stream());
  expect(failure).toMatchObject({ failure: "malformed" });
  expect(failure.message).toContain("an event of more than 8388608 bytes");
});

test.each(["anthropic", "openai"] as const)("a stream of %s whose content type is doubled is read", async (kind) => {
  const type = ["text/event-stream", "text/event-stream"];
  const caller = await streaming(kind, type, piecesOf(readTranscript(kind, "stream-text")));
  const { text: said, error } = await readStream(await caller.stream());
  expect([said === "", error]).toEqual([false, undefined]);
});

test("embeddings are requested for 64 texts at a time", async () => {
  const server = await startEmulatedServer((res, { body }) => {
    const { requests } = JSON.parse(body) as { requests: unknown[] };
    res.end(JSON.stringify({ embeddings: requests.map(() => ({ values: [0.5] })) }));
  });
  const caller = createCaller({ kind: "google", baseUrl: server.url });
  open.push(caller, server);
  const { data } = await caller.embed(Array.from({ length: 130 }, () => "a"));
  expect([data.length, server.requests.length]).toEqual([130, 3]);
});
