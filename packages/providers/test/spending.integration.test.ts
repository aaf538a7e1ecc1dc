import { Secret } from "@gatehouse/vault";
import { afterEach, describe, expect, it, test } from "vitest";
import { limitAnswer } from "../src/output-limit.ts";
import type { ProviderKind } from "../src/provider.ts";
import { type Answer, eventStream, json, startEmulatedServer } from "../src/testing/emulated-server.ts";
import { basePath, wireKinds } from "../src/testing/transcript.ts";
import { createCaller, failureOf } from "./calling.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

interface Dialect {
  readonly kind: ProviderKind;
  readonly model: string;
  readonly apiKey?: string;
  /** Path of the limit in the request's body. */
  readonly field: readonly string[];
}

const dialects: readonly Dialect[] = [
  { kind: "openai", model: "gpt-4o", field: ["max_completion_tokens"] },
  { kind: "openai-compatible", model: "llama", field: ["max_tokens"] },
  { kind: "azure-openai", model: "deployment", field: ["max_completion_tokens"] },
  { kind: "anthropic", model: "claude-sonnet-4-5", field: ["max_tokens"] },
  { kind: "anthropic", model: "claude-opus-4-1", field: ["max_tokens"] },
  { kind: "google", model: "gemini-2.5-pro", field: ["generationConfig", "maxOutputTokens"] },
  { kind: "mistral", model: "mistral-large-latest", field: ["max_tokens"] },
  { kind: "bedrock", model: "anthropic.claude-sonnet-4-20250514-v1:0", field: ["inferenceConfig", "maxTokens"] },
  { kind: "bedrock", model: "amazon.nova-2-lite-v1:0", field: ["inferenceConfig", "maxTokens"] },
  {
    kind: "bedrock",
    model: "anthropic.claude-sonnet-4-20250514-v1:0",
    apiKey: "AKIAABCDEFGHIJKLMNOP:secret",
    field: ["inferenceConfig", "maxTokens"],
  },
  {
    kind: "bedrock",
    model: "amazon.nova-pro-v1:0",
    apiKey: "AKIAABCDEFGHIJKLMNOP:secret",
    field: ["inferenceConfig", "maxTokens"],
  },
];

/** Every name by which a request could ask for a longer answer. */
const askedAtLength = {
  max_tokens: 50_000,
  max_completion_tokens: 60_000,
  max_output_tokens: 70_000,
  max_new_tokens: 80_000,
  n_predict: 90_000,
};

async function serve({ kind, model, apiKey }: Pick<Dialect, "kind" | "model" | "apiKey">, answer: Answer) {
  const server = await startEmulatedServer(answer);
  const address = { kind, baseUrl: `${server.url}${basePath[kind as keyof typeof basePath] ?? "/v1"}`, model };
  const caller = createCaller({ ...address, ...(apiKey === undefined ? {} : { apiKey: new Secret(apiKey) }) });
  open.push(caller, server);
  return { server, caller };
}

function requestOf(kind: ProviderKind, parameters: object, tokensMax: number) {
  return limitAnswer({ ...parameters }, { kind, endpoint: { parameters: null }, tokensMax });
}

describe.each(dialects)("$kind with $model", (dialect) => {
  const { kind, field } = dialect;
  const efforts = [{}, { reasoning_effort: "high" }, { reasoning_effort: "low" }, { reasoning_effort: "none" }];

  it.each(efforts)("gets no limit above the budget, and under no other name: %j", async (effort) => {
    for (const tokensMax of [1, 700, 3_000]) {
      for (const method of ["complete", "stream"] as const) {
        const { server, caller } = await serve(dialect, json(400, {}));
        const request = requestOf(kind, { ...askedAtLength, ...effort }, tokensMax);
        await failureOf(caller[method](request, { answerTokensMax: tokensMax }));
        const body = JSON.parse(server.requests[0]?.body ?? "{}") as Record<string, unknown>;
        expect(limitIn(body, field)).toBe(tokensMax);
        expect(JSON.stringify(body)).not.toMatch(/[5-9]0000/);
        expect(thinkingBudgetOf(body)).toBeLessThan(tokensMax);
      }
    }
  });
});

const packaged = dialects.filter(
  ({ kind }) => kind !== "openai" && kind !== "openai-compatible" && kind !== "azure-openai",
);

describe.each(packaged)("without a budget, $kind with $model", (dialect) => {
  it.each(["low", "high"])("gets no limit above the caller's with the effort %s", async (effort) => {
    for (const tokensMax of [1, 500, 5_000]) {
      for (const asked of [{ max_tokens: tokensMax }, { max_completion_tokens: tokensMax, max_tokens: 9_000 }]) {
        const { server, caller } = await serve(dialect, json(400, {}));
        await failureOf(caller.complete({ ...asked, reasoning_effort: effort }));
        const body = JSON.parse(server.requests[0]?.body ?? "{}") as Record<string, unknown>;
        expect(limitIn(body, dialect.field)).toBe(tokensMax);
        expect(thinkingBudgetOf(body)).toBeLessThan(tokensMax);
      }
    }
  });
});

test("a limit that the package has lowered to the model's own stays", async () => {
  const { server, caller } = await serve({ kind: "anthropic", model: "claude-sonnet-4-5" }, json(400, {}));
  await failureOf(caller.complete({ max_tokens: 500_000 }));
  expect(JSON.parse(server.requests[0]?.body ?? "{}")).toMatchObject({ max_tokens: 64_000 });
});

function limitIn(body: Record<string, unknown>, field: readonly string[]): unknown {
  return field.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], body);
}

/** Thinking budget of Anthropic's models, which count it separately where it is not within the limit. */
function thinkingBudgetOf(body: Record<string, unknown>): number {
  const [, budget] = /"budget_tokens":(\d+)/.exec(JSON.stringify(body)) ?? [];
  return Number(budget ?? 0);
}

test("Nova's highest effort, which permits no limit, is lowered under one", async () => {
  const { server, caller } = await serve({ kind: "bedrock", model: "amazon.nova-2-lite-v1:0" }, json(400, {}));
  await failureOf(caller.complete({ max_tokens: 700, reasoning_effort: "high" }));
  await failureOf(caller.complete({ reasoning_effort: "high" }));
  const [limited, free] = server.requests.map(({ body }) => JSON.parse(body) as object);
  expect(limited).toMatchObject({
    inferenceConfig: { maxTokens: 700 },
    additionalModelRequestFields: { reasoningConfig: { maxReasoningEffort: "medium" } },
  });
  expect(free).toMatchObject({ additionalModelRequestFields: { reasoningConfig: { maxReasoningEffort: "high" } } });
});

const stalled: Answer = () => undefined;
const cut: Answer = (res) => void res.socket?.destroy();
const begun = eventStream([": waiting\n\n"], { end: false });

describe.each(wireKinds)("of %s", (kind) => {
  it.each<[string, Answer, boolean]>([
    ["a refusal of the request", json(400, {}), true],
    ["a refusal of the credential", json(401, {}), true],
    ["a rate limit", json(429, {}), true],
    ["an overloaded provider", json(503, {}), true],
    ["an error of the provider", json(500, {}), true],
    ["a proxy that waited long enough", json(504, {}), false],
    ["silence", stalled, false],
    ["a connection that breaks", cut, false],
    ["a stream without output", begun, false],
    ["a reply that cannot be read", json(200, { nothing: "of use" }), false],
  ])("%s is free: $2", async (_name, answer, isFree) => {
    const { caller } = await serve({ kind, model: "model-1" }, answer);
    const bounds = { headersMs: 150, firstTokenMs: 150, idleMs: 150, totalMs: 300 };
    expect((await failureOf(caller.stream({}, { bounds }))).isFree).toBe(isFree);
  });

  it("a refused connection, and a call aborted before its connection, are free", async () => {
    const { server, caller } = await serve({ kind, model: "model-1" }, stalled);
    const gone = new AbortController();
    gone.abort();
    expect((await failureOf(caller.complete({}, { signal: gone.signal }))).isFree).toBe(true);
    await server.close();
    open.pop();
    expect((await failureOf(caller.complete())).isFree).toBe(true);
  });
});
