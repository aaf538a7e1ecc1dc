import { jsonBounds, type JsonObject, OutlineReader } from "@gatehouse/json";
import { CircuitBreaker } from "@gatehouse/upstream-http";
import { expect, test } from "vitest";
import type { UpstreamConnection } from "../clients/upstream-connection.ts";
import type { Answer } from "../domain/json-rpc-answer.ts";
import type { Listing } from "../domain/listing.ts";
import { applyPins, comparePins, hashDefinition, type ToolPin } from "../domain/tool-pins.ts";
import { readSettings } from "../domain/upstream-settings.ts";
import type { ReachableUpstream } from "../domain/upstream.ts";
import { UpstreamRuntime } from "./upstream-runtime.ts";

const at = new Date(0);
const upstream = {
  id: 1,
  projectUuid: "p",
  prefix: "u",
  url: "http://u.example/mcp",
  hasBearerToken: false,
  bearerTokenReference: null,
  bearerToken: undefined,
  isActive: true,
  settings: readSettings({}),
  revision: 1,
  createdAt: at,
  updatedAt: at,
};

function toAnswer(...names: readonly string[]): Answer {
  return answerOf(names.map((name) => ({ name, inputSchema: { type: "object" } })));
}

function answerOf(tools: readonly JsonObject[]): Answer {
  const bytes = Buffer.from(JSON.stringify({ tools }));
  const reader = new OutlineReader(bytes, { members: { tools: { items: {} } } }, jsonBounds);
  const result = reader.read(bytes.length);
  if (result === undefined) throw new TypeError("The answer is not whole.");
  return { kind: "result", result };
}

/** An upstream with one tool, whose definition the test changes and approves, and a clock that it sets. */
function startPinned() {
  const state = { nowMs: 0, description: "first", listings: 0 };
  let pins: ReadonlyMap<string, ToolPin> = new Map();
  const hashNow = () => hashDefinition({ name: "t", description: state.description, inputSchema: { type: "object" } });
  const now = () => state.nowMs;
  const connection: UpstreamConnection = {
    protocolMode: "bare",
    sessionCount: 0,
    async request() {
      state.listings += 1;
      return await Promise.resolve(
        answerOf([{ name: "t", description: state.description, inputSchema: { type: "object" } }]),
      );
    },
    sweep: () => {},
    endSessions: () => {},
    close: async () => {},
  };
  const options = {
    connection,
    breaker: new CircuitBreaker({ failuresMax: 3, openMs: 5_000, now }),
    now,
    wallNow: now,
    async keep(_upstream: ReachableUpstream, { tools }: Listing) {
      pins = applyPins(pins, comparePins(tools, pins), false);
      return await Promise.resolve(pins);
    },
  };
  const runtime = new UpstreamRuntime(upstream, { catalogue: undefined, pins }, options);
  const approve = () => {
    pins = new Map([["t", { name: "t", approvedHash: hashNow(), seenHash: undefined }]]);
    runtime.reconfigure({ ...upstream, revision: 2 }, { catalogue: undefined, pins });
  };
  return { runtime, state, approve };
}

/** An upstream whose answers and whose writing down wait for the test. */
function startRuntime() {
  const asked: PromiseWithResolvers<Answer>[] = [];
  const kept: { readonly names: readonly string[]; readonly done: PromiseWithResolvers<void> }[] = [];
  const now = () => 0;
  const connection: UpstreamConnection = {
    protocolMode: "bare",
    sessionCount: 0,
    async request() {
      const answer = Promise.withResolvers<Answer>();
      asked.push(answer);
      return await answer.promise;
    },
    sweep: () => {},
    endSessions: () => {},
    close: async () => {},
  };
  const runtime = new UpstreamRuntime(
    upstream,
    { catalogue: undefined, pins: new Map() },
    {
      connection,
      breaker: new CircuitBreaker({ failuresMax: 3, openMs: 5_000, now }),
      now,
      wallNow: now,
      async keep(_upstream, { tools }) {
        const done = Promise.withResolvers<void>();
        kept.push({ names: tools.map(({ name }) => name), done });
        await done.promise;
        return new Map();
      },
    },
  );
  return { runtime, asked, kept };
}

test("a refresh is not answered by a listing that was sent before it", async () => {
  const { runtime, asked, kept } = startRuntime();
  void runtime.list("", 0);
  const questions = [runtime.refresh(""), runtime.refresh("")];
  asked[0]?.resolve(toAnswer("old"));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve(toAnswer("new"));
  await expect.poll(() => kept.length).toBe(1);
  kept[0]?.done.resolve();
  await expect.poll(() => kept.length).toBe(2);
  kept[1]?.done.resolve();
  await Promise.all(questions);
  expect(runtime.snapshot?.tools.map(({ name }) => name)).toEqual(["new"]);
  expect(asked).toHaveLength(2);
});

test("a listing that arrives during a write is stored after it", async () => {
  const { runtime, asked, kept } = startRuntime();
  const first = runtime.refresh("");
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.resolve(toAnswer("old"));
  await expect.poll(() => kept.length).toBe(1);
  const second = runtime.refresh("");
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve(toAnswer("new"));
  await expect.poll(() => runtime.snapshot?.tools[0]?.name).toBe("new");
  kept[0]?.done.resolve();
  await expect.poll(() => kept.map(({ names }) => names)).toEqual([["old"], ["new"]]);
  kept[1]?.done.resolve();
  await Promise.all([first, second]);
});

test("a changed tool is found by a call, although nobody lists", async () => {
  const { runtime, state } = startPinned();
  expect(await runtime.pinStateOf("t", "")).toBe("approved");
  state.description = "second";
  state.nowMs = 999;
  expect([await runtime.pinStateOf("t", ""), state.listings]).toEqual(["approved", 1]);
  state.nowMs = 2_000;
  expect(await runtime.pinStateOf("t", "")).toBe("changed");
});

test("a definition that was approved elsewhere, and a restored one, are found by a call", async () => {
  const { runtime, state, approve } = startPinned();
  expect(await runtime.pinStateOf("t", "")).toBe("approved");
  state.description = "second";
  approve();
  state.nowMs = 2_000;
  expect(await runtime.pinStateOf("t", "")).toBe("approved");
  state.description = "third";
  state.nowMs = 4_000;
  expect(await runtime.pinStateOf("t", "")).toBe("changed");
  state.description = "second";
  state.nowMs = 6_000;
  expect(await runtime.pinStateOf("t", "")).toBe("approved");
});
