import { Registry } from "prom-client";
import { expect, test } from "vitest";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";
import { createLogMetrics } from "./metrics.ts";

const call: GatewayLogEntry = {
  atMs: 0,
  requestId: "r",
  route: "chat_direct",
  status: 200,
  durationMs: 5,
  provider: "p",
  attempts: 1,
  promptTokens: 3,
  completionTokens: 4,
  costMicros: 10,
};

test("a provider's amounts are counted once, for any number of reads", async () => {
  const registry = new Registry();
  const metrics = createLogMetrics(
    registry,
    () => 0,
    () => 0,
  );
  const read = async () =>
    (await registry.metrics()).split("\n").filter((line) => /^gatehouse_model_(?:attempts|tokens|cost)/.test(line));
  metrics.called(call);
  metrics.called({ ...call, provider: undefined });
  metrics.called(call);
  const counted = [
    'gatehouse_model_attempts_total{provider="p"} 2',
    'gatehouse_model_tokens_total{provider="p",kind="prompt"} 6',
    'gatehouse_model_tokens_total{provider="p",kind="completion"} 8',
    'gatehouse_model_cost_usd_total{provider="p"} 0.00002',
  ];
  expect(await read()).toEqual(counted);
  expect(await read()).toEqual(counted);
  metrics.called(call);
  expect((await read())[0]).toBe('gatehouse_model_attempts_total{provider="p"} 3');
});
