import { expect, test } from "vitest";
import { send, sendStreaming } from "../src/chat-client.ts";
import { type Product, type ProductOptions, startServices, startStandalone } from "../src/product.ts";
import { answer, streamWords } from "../src/scripted-provider.ts";
import { startSpanSink } from "../src/span-sink.ts";
import { createWorld } from "./suite/world.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpanId = "b7ad6b7169203331";
const prompt = "a prompt that must stay private";
const modelText = "an answer that must stay private";

const routed = "POST /api/{uuid}/{slug}";

/** The spans of a call from the caller on, and beside the last one the question to the guardrails. */
const ways: readonly [string, (options: ProductOptions) => Promise<Product>, readonly string[]][] = [
  ["one process", startStandalone, [routed, "chat m"]],
  ["processes of their own", startServices, [routed, "POST chat", "chat m"]],
];
const question = "guardrail inspect";

test.each(ways)(
  "a call in %s is one connected trace without secrets, and neither do logs hold any",
  async (_name, start, chain) => {
    const sink = await startSpanSink();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_BSP_SCHEDULE_DELAY: "100", LOG_LEVEL: "debug" };
    const world = await createWorld(async () => await start({ env }));
    const key = `sk-e2e-${"s".repeat(30)}`;
    await world.control.call("svc_create_credential", { provider: world.primaryName, name: "main", api_key: key });
    const { path } = await world.endpoint({ streaming_enabled: true });
    world.primary.play(answer(modelText));
    const headers = { traceparent: `00-${traceId}-${callerSpanId}-01`, "x-request-id": "traced-1" };
    const reply = await send(world.product, path, { token: world.token, body: { message: prompt }, headers });
    expect(reply.status).toBe(200);
    expect(world.primary.received[0]?.headers["traceparent"]).toContain(traceId);
    world.primary.play(streamWords([modelText]));
    await sendStreaming(world.product, path, { token: world.token, body: { message: prompt, stream: true } });
    await send(world.product, path, { token: `${world.token}x`, body: { message: prompt } });
    await world.stop();
    await sink.stop();

    const spans = sink.spans.filter((span) => span.traceId === traceId);
    expect(spans.map(({ name }) => name).sort()).toEqual([...chain, question].sort());
    let parent = callerSpanId;
    for (const name of chain) {
      const span = spans.find((candidate) => candidate.name === name);
      expect([name, span?.parentSpanId, span?.attributes["gatehouse.request_id"]]).toEqual([name, parent, "traced-1"]);
      parent = span?.spanId ?? "";
    }
    const attempt = spans.find(({ name }) => name === "chat m");
    expect(spans.find(({ name }) => name === question)?.parentSpanId).toBe(attempt?.parentSpanId);
    expect(attempt?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai-compatible",
      "gen_ai.request.model": "m",
    });
    for (const secret of [prompt, modelText, world.token, world.product.adminKey, key]) {
      expect(sink.raw()).not.toContain(secret);
      expect(world.product.output()).not.toContain(secret);
    }
  },
);
