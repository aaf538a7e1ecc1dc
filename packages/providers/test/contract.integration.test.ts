import { inspect } from "node:util";
import { Secret } from "@gatehouse/vault";
import { afterEach, describe, expect, it } from "vitest";
import { type Answer, eventStream, json, startEmulatedServer } from "../src/testing/emulated-server.ts";
import {
  answerOf,
  badPieces,
  basePath,
  errorPieces,
  piecesOf,
  rateLimitReplies,
  readTranscript,
  wireKinds,
} from "../src/testing/transcript.ts";
import { createCaller, failureOf, key, readStream } from "./calling.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const silence: Answer = () => undefined;

/** Contract that the pipeline relies on: the same faults end in the same failures for all providers. */
describe.each(wireKinds)("the adapter of %s", (kind) => {
  const whole = readTranscript(kind, "text");
  const streamed = readTranscript(kind, "stream-text");
  const pieces = piecesOf(streamed);
  const unfinished = pieces.slice(0, streamed.eventsBeforeFinish);
  const text = "Your name is Ann.";

  async function serve(...answers: readonly Answer[]) {
    const server = await startEmulatedServer(...answers);
    const caller = createCaller({ kind, baseUrl: `${server.url}${basePath[kind]}`, model: whole.model });
    open.push(caller, server);
    return { server, caller };
  }

  describe.each(["complete", "stream"] as const)("%s", (method) => {
    it.each([
      [400, false],
      [401, true],
      [429, true],
      [500, true],
      [503, true],
      [529, true],
    ])("reports status %i, with failover %s", async (status, mayFailOver) => {
      const { server, caller } = await serve(
        json(status, { error: { message: "The reason" } }, { "retry-after": "3" }),
      );
      expect(await failureOf(caller[method]())).toMatchObject({
        failure: "status",
        status,
        mayFailOver,
        retryAfterSeconds: 3,
        message: `acme answered ${status}: The reason`,
      });
      expect(server.requests).toHaveLength(1);
    });

    it("reports an error without a readable body", async () => {
      const { caller } = await serve((res) => void res.writeHead(502).end("<html>Bad gateway</html>"));
      expect(await failureOf(caller[method]())).toMatchObject({ status: 502, message: "acme answered 502" });
    });

    it("reports a refused connection as unreachable", async () => {
      const { server, caller } = await serve(silence);
      await server.close();
      open.pop();
      expect(await failureOf(caller[method]())).toMatchObject({
        failure: "unreachable",
        message: "acme is unreachable: the connection was refused",
      });
    });

    it("reports a reset before the head as unreachable", async () => {
      const { caller } = await serve((res) => void res.socket?.resetAndDestroy());
      expect(await failureOf(caller[method]())).toMatchObject({ failure: "unreachable" });
    });

    it("times out when no head comes", async () => {
      const { server, caller } = await serve(silence);
      const failure = await failureOf(caller[method]({}, { bounds: { headersMs: 60 } }));
      expect(failure).toMatchObject({ failure: "timeout", message: "acme did not answer within 60 ms" });
      await server.hungUp;
    });

    it("ends at once when the call is aborted", async () => {
      const abort = new AbortController();
      // Aborted once the provider has the call, however long it took to send.
      const { server, caller } = await serve(() => abort.abort());
      const failure = failureOf(caller[method]({}, { signal: abort.signal }));
      expect(await failure).toMatchObject({ failure: "aborted" });
      await server.hungUp;
    });

    it("reports an unrecognised reply as malformed or cut, in words of its own", async () => {
      const { caller } = await serve((res) => void res.writeHead(200).end("<html>hello</html>"));
      const { failure, mayFailOver, message } = await failureOf(caller[method]());
      expect(["malformed", "cut"]).toContain(failure);
      expect(message).not.toContain("AI_");
      expect(mayFailOver).toBe(true);
    });

    it("shows its credential and the prompt in no error, for any reply of the provider", async () => {
      const echo: Answer = (res, { headers, body }) => {
        const message = `Wrong key ${headers.authorization ?? ""} ${key}`;
        res
          .writeHead(401, { "content-type": "application/json" })
          .end(JSON.stringify({ message, error: { message, code: key }, body }));
      };
      const { caller } = await serve(echo, (res) => void res.writeHead(200).end(`{"key":"${key}"}`));
      const request = { messages: [{ role: "user", content: "my own prompt" }] };
      for (const failure of [await failureOf(caller[method](request)), await failureOf(caller[method](request))]) {
        const shown = inspect(failure, { depth: 10, showHidden: true });
        expect(shown).not.toContain(key);
        expect(shown).not.toContain("my own prompt");
      }
    });
  });

  it("sends the trace", async () => {
    const { server, caller } = await serve(answerOf(whole));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await caller.complete({}, { traceparent });
    expect(server.requests[0]?.headers.traceparent).toBe(traceparent);
  });

  it("times out when an answer does not end", async () => {
    const { caller } = await serve((res) => void res.writeHead(200).write("{"));
    expect(await failureOf(caller.complete({}, { bounds: { idleMs: 60 } }))).toMatchObject({ failure: "timeout" });
  });

  it("gives a whole stream for any split of its bytes", async () => {
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    const halves = [bytes.subarray(0, 7), bytes.subarray(7, 100), bytes.subarray(100, 333), bytes.subarray(333)];
    const { caller } = await serve(eventStream(halves));
    expect(await readStream(await caller.stream())).toMatchObject({ text, finishReason: "stop", error: undefined });
  });

  it("reports a stream that ends before its finish as cut", async () => {
    const { caller } = await serve(eventStream(unfinished));
    expect(await readStream(await caller.stream())).toMatchObject({
      text,
      finishReason: undefined,
      error: { failure: "cut", mayFailOver: true },
    });
  });

  it("reports a stream whose connection breaks as cut", async () => {
    const { caller } = await serve(async (res, request) => {
      await eventStream(unfinished, { end: false })(res, request);
      res.destroy();
    });
    const { error, finishReason } = await readStream(await caller.stream());
    expect(error).toMatchObject({ failure: "cut" });
    expect(finishReason).toBeUndefined();
  });

  describe("a stream with its finish and usage, but without its end mark,", () => {
    const finished = pieces.slice(0, pieces.findLastIndex((piece) => /usage/i.test(piece.toString())) + 1);
    const expected = { text, finishReason: "stop", usage: streamed.expected.usage, error: undefined };

    it("is whole when it ends", async () => {
      const { caller } = await serve(eventStream(finished));
      expect(await readStream(await caller.stream())).toMatchObject(expected);
    });

    it("is whole when its connection breaks", async () => {
      const { caller } = await serve(async (res, request) => {
        await eventStream(finished, { end: false })(res, request);
        res.destroy();
      });
      expect(await readStream(await caller.stream())).toMatchObject(expected);
    });

    it("is whole when it stalls", async () => {
      const { caller } = await serve(eventStream(finished, { end: false }));
      expect(await readStream(await caller.stream({}, { bounds: { idleMs: 60 } }))).toMatchObject(expected);
    });
  });

  it("reports an empty stream as cut", async () => {
    const { caller } = await serve(eventStream([]));
    expect(await failureOf(caller.stream())).toMatchObject({ failure: "cut" });
  });

  it("times out when a stream stalls", async () => {
    const { server, caller } = await serve(eventStream(unfinished, { end: false }));
    const read = await readStream(await caller.stream({}, { bounds: { idleMs: 60 } }));
    expect(read).toMatchObject({ text, error: { failure: "timeout", message: "acme sent no output for 60 ms" } });
    await server.hungUp;
  });

  it("times out when the first token is slow", async () => {
    const { server, caller } = await serve(eventStream([], { end: false }));
    const failure = await failureOf(caller.stream({}, { bounds: { firstTokenMs: 60, idleMs: 20 } }));
    expect(failure).toMatchObject({ failure: "timeout", message: "acme sent no first token within 60 ms" });
    await server.hungUp;
  });

  it("throws an error event before the first token as that error", async () => {
    const { piece, status } = errorPieces[kind];
    const { caller } = await serve(eventStream([piece]));
    const failure = await failureOf(caller.stream());
    expect(failure).toMatchObject({ failure: "status", status, mayFailOver: true });
    expect(failure.message).toContain("Overloaded");
  });

  it("throws an error event after the first token as that error", async () => {
    const { piece, status } = errorPieces[kind];
    const { server, caller } = await serve(eventStream([...unfinished, piece], { end: false }));
    expect(await readStream(await caller.stream())).toMatchObject({ text, error: { failure: "status", status } });
    await server.hungUp;
  });

  it("reports an error under a status of success as that error", async () => {
    const overloaded = { type: "error", error: { message: "Overloaded", type: "overloaded_error" } };
    const { caller } = await serve(json(200, overloaded));
    expect(await failureOf(caller.complete())).toMatchObject({
      failure: "status",
      status: 529,
      isFree: true,
      message: "acme sent error 529 in its reply: Overloaded",
    });
  });

  it("has the common code for a rate limit, whatever the provider's name for it", async () => {
    const { caller } = await serve(json(429, rateLimitReplies[kind]));
    expect(await failureOf(caller.complete())).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  });

  it("throws malformed at an event that cannot be read", async () => {
    const { caller } = await serve(eventStream([...unfinished, badPieces[kind], ...pieces.slice(unfinished.length)]));
    const { error, finishReason } = await readStream(await caller.stream());
    expect(error).toMatchObject({ failure: "malformed" });
    expect(finishReason).toBeUndefined();
  });

  it("frees its connection when a stream is closed early", async () => {
    const { server, caller } = await serve(eventStream(unfinished, { end: false }));
    const { batches } = await caller.stream();
    for await (const batch of batches) if (batch.length > 0) break;
    await server.hungUp;
  });

  it("ends a stream at once when the call is aborted in its middle", async () => {
    const { server, caller } = await serve(eventStream(unfinished, { end: false }));
    const abort = new AbortController();
    const stream = await caller.stream({}, { signal: abort.signal });
    abort.abort();
    expect((await readStream(stream)).error).toMatchObject({ failure: "aborted" });
    await server.hungUp;
  });

  it("reuses its connection for later calls", async () => {
    const { server, caller } = await serve(eventStream(pieces));
    for (let call = 0; call < 5; call += 1) await readStream(await caller.stream());
    expect(server.connections()).toBeLessThanOrEqual(2);
  });
});

it.each(["anthropic", "google", "mistral", "azure-openai", "bedrock"] as const)(
  "the adapter of %s takes no credential from the environment",
  async (kind) => {
    const caller = createCaller({ kind, baseUrl: "http://127.0.0.1:1", apiKey: undefined });
    open.push(caller);
    expect(await failureOf(caller.complete())).toMatchObject({
      failure: "unreachable",
      message: "acme has no credential",
    });
  },
);

describe.each(["anthropic", "google", "mistral", "bedrock"] as const)("the adapter of %s", (kind) => {
  it.each([
    [{ n: 2 }, "it gives one choice only, so n must be 1"],
    [{ temperature: "hot" }, "temperature must be a number"],
    [{ messages: [{ role: "robot", content: "x" }] }, "message 1 has the role 'robot'"],
    [
      { messages: [{ role: "tool", tool_call_id: "a", content: "x" }] },
      "message 1 answers a tool call that no earlier message has",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "video" }] }] },
      "message 1 has a part of the unknown type 'video'",
    ],
    [{ tools: [{ type: "other" }] }, "each of its tools must be a function with a name"],
    [
      { response_format: { type: "json_schema" } },
      "response_format must be text, json_object, or json_schema with a schema",
    ],
  ])("refuses %j as the caller's fault", async (request, problem) => {
    const caller = createCaller({ kind, baseUrl: "http://127.0.0.1:1" });
    open.push(caller);
    expect(await failureOf(caller.stream(request))).toMatchObject({
      status: 400,
      mayFailOver: false,
      message: `acme does not accept this request: ${problem}`,
    });
  });
});

describe("a whole reply without a finish reason", () => {
  const reasons = /"(?:stop_reason|finishReason|finish_reason)":"[^"]*"/;

  async function reply(kind: "anthropic" | "google" | "mistral", change: (text: string) => string) {
    const text = JSON.stringify(readTranscript(kind, "text").reply.json);
    expect(text).toMatch(reasons);
    const server = await startEmulatedServer(json(200, JSON.parse(change(text))));
    const caller = createCaller({ kind, baseUrl: server.url });
    open.push(caller, server);
    return caller.complete();
  }

  it.each(["anthropic", "google", "mistral"] as const)("of %s is an answer with null", async (kind) => {
    const { choices } = await reply(kind, (text) => text.replace(reasons, (member) => `${member.split(":")[0]}:null`));
    expect(choices).toMatchObject([{ message: { content: "Your name is Ann." }, finish_reason: null }]);
  });

  it("of google, and without an answer, is cut", async () => {
    expect(await failureOf(reply("google", () => '{"candidates":[{"index":0}]}'))).toMatchObject({ failure: "cut" });
    expect(await failureOf(reply("google", () => "{}"))).toMatchObject({ mayFailOver: true });
  });
});

describe("what an API has no form for", () => {
  it("of mistral: a file is refused in one clause", async () => {
    const caller = createCaller({ kind: "mistral", baseUrl: "http://127.0.0.1:1" });
    open.push(caller);
    const file = { filename: "a.txt", file_data: "data:text/plain;base64,AAAA" };
    const call = caller.complete({ messages: [{ role: "user", content: [{ type: "file", file }] }] });
    expect(await failureOf(call)).toMatchObject({
      status: 400,
      message: "acme does not accept this request: Only images and PDF file parts are supported",
    });
  });

  const later = [
    { role: "system", content: "One." },
    { role: "user", content: "Hello" },
    { role: "developer", content: "Two." },
    { role: "user", content: "Go on" },
  ];

  it.each([
    ["google", "systemInstruction"],
    ["bedrock", "system"],
  ] as const)("of %s: later system messages are joined to the first", async (kind, field) => {
    const { server, caller } = await serveJson(kind);
    await caller.complete({ messages: later });
    const body = JSON.parse(server.requests[0]?.body ?? "") as Record<string, unknown>;
    expect(JSON.stringify(body[field])).toMatch(/One\..*Two\./);
    expect(JSON.stringify({ ...body, [field]: null })).not.toContain("Two.");
  });

  it("of google: an image's address is sent with the type of its extension", async () => {
    const { server, caller } = await serveJson("google");
    await caller.complete({ messages: [imageAt("https://example.com/a.png")] });
    expect(server.requests[0]?.body).toContain(
      '"fileData":{"mimeType":"image/png","fileUri":"https://example.com/a.png"}',
    );
  });

  it.each(["google", "bedrock"] as const)("of %s: other addresses of images are refused", async (kind) => {
    const { server, caller } = await serveJson(kind);
    expect(await failureOf(caller.complete({ messages: [imageAt("https://example.com/17")] }))).toMatchObject({
      status: 400,
      isOfRequest: true,
      isFree: true,
      message: expect.stringContaining("acme does not accept this request: message 1 has an image_url "),
    });
    expect(server.requests).toEqual([]);
  });

  function imageAt(url: string) {
    return { role: "user", content: [{ type: "image_url", image_url: { url } }] };
  }

  async function serveJson(kind: "google" | "bedrock") {
    const server = await startEmulatedServer(answerOf(readTranscript(kind, "text")));
    const caller = createCaller({ kind, baseUrl: server.url });
    open.push(caller, server);
    return { server, caller };
  }
});

describe("Amazon's two forms of credential", () => {
  const secret = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY";

  async function requestWith(apiKey: string) {
    const server = await startEmulatedServer(answerOf(readTranscript("bedrock", "text")));
    const baseUrl = `${server.url}?region=eu-central-1`;
    const caller = createCaller({ kind: "bedrock", baseUrl, apiKey: new Secret(apiKey) });
    open.push(caller, server);
    await caller.complete();
    const [request] = server.requests;
    expect(JSON.stringify(request)).not.toContain(secret);
    return request?.headers;
  }

  it.each([
    ["", undefined],
    [":a-session", "a-session"],
  ])("an access key (followed by '%s') signs requests for the base URL's region", async (suffix, session) => {
    const headers = await requestWith(`AKIAIOSFODNN7EXAMPLE:${secret}${suffix}`);
    expect(headers?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /,
    );
    expect(headers?.["x-amz-security-token"]).toBe(session);
  });

  it("an API key is sent as a bearer token, and signs nothing", async () => {
    const headers = await requestWith("ABSKQmVkcm9ja0FQSUtleQ==");
    expect(headers?.authorization).toBe("Bearer ABSKQmVkcm9ja0FQSUtleQ==");
    expect(Object.keys(headers ?? {}).filter((name) => name.startsWith("x-amz-"))).toEqual([]);
  });
});

describe("Azure's two forms of address", () => {
  it.each([
    ["", "/openai/v1/chat/completions"],
    ["/openai", "/openai/v1/chat/completions"],
    ["/behind/a/proxy", "/behind/a/proxy/chat/completions"],
    ["/openai/v1/", "/openai/v1/chat/completions"],
    ["?api-version=2024-10-21", "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"],
    ["/openai?api-version=2024-10-21", "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"],
  ])("a base URL that ends in '%s' is called at %s", async (end, path) => {
    const server = await startEmulatedServer(answerOf(readTranscript("azure-openai", "text")));
    const caller = createCaller({ kind: "azure-openai", baseUrl: `${server.url}${end}`, model: "my-deployment" });
    open.push(caller, server);
    await caller.complete();
    const [request] = server.requests;
    expect(request?.path).toBe(path);
    expect(request?.headers["api-key"]).toBe(key);
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ model: "my-deployment" });
  });

  it("keeps every field of requests and replies", async () => {
    const more = {
      n: 2,
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { 1: 2 },
      user: "u",
      store: false,
      x_new: { a: 1 },
    };
    const { reply } = readTranscript("azure-openai", "text");
    const full = { ...(reply.json as object), system_fingerprint: "fp_1", service_tier: "default", x_new: 1 };
    const server = await startEmulatedServer(json(200, full));
    const caller = createCaller({ kind: "azure-openai", baseUrl: server.url });
    open.push(caller, server);
    expect(await caller.complete(more)).toEqual(full);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject(more);
  });

  it("needs a base URL", async () => {
    const caller = createCaller({ kind: "azure-openai", baseUrl: undefined });
    open.push(caller);
    expect(await failureOf(caller.complete())).toMatchObject({ failure: "unreachable" });
  });
});
