import { afterEach, describe, expect, it } from "vitest";
import type { ProviderKind } from "../src/provider.ts";
import { json, startEmulatedServer } from "../src/testing/emulated-server.ts";
import { createCaller, failureOf, key } from "./calling.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

interface Wire {
  readonly kind: ProviderKind;
  readonly base: string;
  /** The replies to its requests for two texts, in order. */
  readonly replies: readonly object[];
  readonly path: string;
  readonly bodies: readonly object[];
  readonly usage: object | undefined;
}

const openAiReply = {
  object: "list",
  data: [
    { object: "embedding", index: 0, embedding: [0.5, 1] },
    { object: "embedding", index: 1, embedding: [0, 2] },
  ],
  model: "model-1",
  usage: { prompt_tokens: 4, total_tokens: 4 },
};

/** From the providers' public API references. */
const wires: readonly Wire[] = [
  {
    kind: "openai",
    base: "/v1",
    replies: [openAiReply],
    path: "/v1/embeddings",
    bodies: [{ model: "model-1", input: ["a", "b"], dimensions: 256 }],
    usage: openAiReply.usage,
  },
  {
    kind: "azure-openai",
    base: "",
    replies: [openAiReply],
    path: "/openai/v1/embeddings",
    bodies: [{ model: "model-1", input: ["a", "b"], dimensions: 256 }],
    usage: openAiReply.usage,
  },
  {
    kind: "mistral",
    base: "",
    replies: [{ ...openAiReply, id: "e" }],
    path: "/v1/embeddings",
    bodies: [{ model: "model-1", input: ["a", "b"], encoding_format: "float", output_dimension: 256 }],
    usage: openAiReply.usage,
  },
  {
    kind: "google",
    base: "",
    replies: [{ embeddings: [{ values: [0.5, 1] }, { values: [0, 2] }] }],
    path: "/v1beta/models/model-1:batchEmbedContents",
    bodies: [
      {
        requests: ["a", "b"].map((text) => ({
          model: "models/model-1",
          content: { role: "user", parts: [{ text }] },
          outputDimensionality: 256,
        })),
      },
    ],
    usage: undefined,
  },
  {
    kind: "bedrock",
    base: "",
    replies: [
      { embedding: [0.5, 1], inputTextTokenCount: 3 },
      { embedding: [0, 2], inputTextTokenCount: 1 },
    ],
    path: "/model/model-1/invoke",
    bodies: ["a", "b"].map((inputText) => ({ inputText, dimensions: 256 })),
    usage: { prompt_tokens: 4, total_tokens: 4 },
  },
];

async function serve(kind: ProviderKind, base: string, replies: readonly object[]) {
  const server = await startEmulatedServer(...replies.map((reply) => json(200, reply)));
  const caller = createCaller({ kind, baseUrl: `${server.url}${base}` });
  open.push(caller, server);
  return { server, caller };
}

describe.each(wires)("$kind", ({ kind, base, replies, path, bodies, usage }) => {
  it("embeds texts in order", async () => {
    const { server, caller } = await serve(kind, base, replies);
    const embeddings = await caller.embed(["a", "b"], { dimensions: 256 });
    expect(embeddings).toMatchObject({ object: "list", model: "model-1", data: openAiReply.data });
    expect(embeddings.usage).toEqual(usage);
    expect(server.requests.map((request) => request.path)).toEqual(bodies.map(() => path));
    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual(bodies);
  });

  it("fails with the provider's error, and without the key", async () => {
    const server = await startEmulatedServer(json(400, { error: { message: `bad input for ${key}` }, message: "bad" }));
    const caller = createCaller({ kind, baseUrl: `${server.url}${base}` });
    open.push(caller, server);
    const failure = await failureOf(caller.embed(["a"]));
    expect(failure).toMatchObject({ failure: "status", status: 400, mayFailOver: false });
    expect(failure.message).not.toContain(key);
  });

  it.each([
    ["of different lengths", [0.5]],
    ["of none", []],
    ["beyond 32-bit floats", [1e300, 1]],
  ])("fails where a vector is %s", async (_name, vector) => {
    const spoiled = JSON.stringify(replies).replaceAll("[0.5,1]", JSON.stringify(vector));
    const { caller } = await serve(kind, base, JSON.parse(spoiled) as object[]);
    const failure = await failureOf(caller.embed(["a", "b"], { encoding_format: "base64" }));
    expect(failure).toMatchObject({ failure: "malformed" });
  });

  it("fails where the reply is not a list of embeddings", async () => {
    const { caller } = await serve(kind, base, [{ hello: "there" }]);
    expect(await failureOf(caller.embed(["a"]))).toMatchObject({ failure: "malformed" });
  });
});

it("refuses unsupported dimensions as the caller's fault", async () => {
  const { caller } = await serve("bedrock", "", [{ embedding: [1], inputTextTokenCount: 1 }]);
  const failure = await failureOf(caller.embed(["a"], { dimensions: 2 }));
  expect(failure).toMatchObject({ failure: "status", status: 400, mayFailOver: false });
});

it("fills in members that an OpenAI-compatible server omits", async () => {
  const { caller } = await serve("openai-compatible", "/v1", [
    { data: [{ embedding: [1] }], usage: { prompt_tokens: 2 } },
  ]);
  expect(await caller.embed(["a"])).toEqual({
    object: "list",
    model: "model-1",
    data: [{ object: "embedding", index: 0, embedding: [1] }],
    usage: { prompt_tokens: 2, total_tokens: 2 },
  });
});

const base64 = "AAAAPwAAgD8=";

it.each([
  ["numbers, where no form was asked for", {}, [0.5, 1]],
  ["numbers, where they were asked for", { encoding_format: "float" }, [0.5, 1]],
  ["base64, where it was asked for", { encoding_format: "base64" }, base64],
])("base64 of an OpenAI-compatible server, padded or not, becomes %s", async (_name, body, embedding) => {
  for (const sent of [base64, base64.replace("=", "")]) {
    const { caller } = await serve("openai-compatible", "/v1", [
      { ...openAiReply, data: [{ object: "embedding", index: 0, embedding: sent }] },
    ]);
    expect((await caller.embed(["a"], body)).data).toEqual([{ object: "embedding", index: 0, embedding }]);
  }
});

function floats(...values: readonly number[]): string {
  return Buffer.from(new Float32Array(values).buffer).toString("base64");
}

it.each([
  ["no numbers", [[null, "x"]]],
  ["none", [[]]],
  ["different lengths", [[1, 2], [1]]],
  ["one in base64 of another length", [[1, 2, 3], base64]],
  ["a text that is no base64", ["x"]],
  ["a text with other characters than base64", ["AAAA!PwAAgD8="]],
  ["NaN in base64", [floats(1, Number.NaN)]],
  ["infinity in base64", [floats(Number.NEGATIVE_INFINITY)]],
])("vectors of an OpenAI-compatible server with %s are malformed", async (_name, vectors) => {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  const { caller } = await serve("openai-compatible", "/v1", [{ ...openAiReply, data }]);
  const texts = vectors.map(() => "a");
  for (const form of ["float", "base64"]) {
    const failure = await failureOf(caller.embed(texts, { encoding_format: form }));
    expect(failure).toMatchObject({ failure: "malformed" });
  }
});

it("numbers beyond 32-bit floats are malformed where base64 was asked for", async () => {
  const data = [{ object: "embedding", index: 0, embedding: [1e300] }];
  const { caller } = await serve("openai-compatible", "/v1", [{ ...openAiReply, data }]);
  const failure = await failureOf(caller.embed(["a"], { encoding_format: "base64" }));
  expect(failure).toMatchObject({ failure: "malformed" });
});
