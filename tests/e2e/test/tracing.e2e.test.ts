import { expect, test } from "vitest";
import { send, sendStreaming } from "../src/chat-client.ts";
import { type Product, type ProductOptions, startServices, startStandalone } from "../src/product.ts";
import { answer, scriptedUsage, streamWords } from "../src/scripted-provider.ts";
import { startSpanSink } from "../src/span-sink.ts";
import { createWorld } from "./suite/world.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const streamTraceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const callerSpanId = "b7ad6b7169203331";
const prompt = "a prompt that must stay private";
const modelText = "an answer that must stay private";

const routed = "POST /api/{uuid}/{slug}";

const question = "guardrail inspect";

/** Spans of a call, each below its parent, and the services that create them. */
interface Way {
  readonly start: (options: ProductOptions) => Promise<Product>;
  readonly chain: readonly string[];
  /** gRPC calls besides the chain, by the span that makes them: a client span with the server's below it. */
  readonly beside: Readonly<Record<string, string>>;
}

const ways: readonly [string, Way][] = [
  ["one process", { start: startStandalone, chain: [routed, "chat m"], beside: {} }],
  [
    "processes of their own",
    {
      start: startServices,
      chain: [routed, "POST chat", "chat m"],
      beside: {
        "gatehouse.control_plane.v1.PrincipalService/ResolveToken": routed,
        "gatehouse.guardrail.v1.GuardrailService/Inspect": question,
      },
    },
  ],
];

/** GenAI semantic conventions, from the scripted provider's answer. */
const answered = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai-compatible",
  "gen_ai.request.model": "m",
  // Counted tokens replace the provider's where these are implausibly small.
  "gen_ai.usage.input_tokens": expect.any(Number) as number,
  "gen_ai.usage.output_tokens": expect.any(Number) as number,
};
const withHead = { ...answered, "gen_ai.response.model": "m", "gen_ai.response.finish_reasons": "stop" };
const fromProvider = {
  ...withHead,
  "gen_ai.usage.input_tokens": scriptedUsage.prompt_tokens,
  "gen_ai.usage.output_tokens": scriptedUsage.completion_tokens,
};

test.each(ways)(
  "a call in %s is one connected trace, and neither trace nor logs have secrets",
  async (_name, { start, chain, beside }) => {
    const sink = await startSpanSink();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=other",
      LOG_LEVEL: "debug",
    };
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
    const streamed = { traceparent: `00-${streamTraceId}-${callerSpanId}-01` };
    await sendStreaming(world.product, path, {
      token: world.token,
      body: { message: prompt, stream: true },
      headers: streamed,
    });
    await send(world.product, path, { token: `${world.token}x`, body: { message: prompt } });
    await world.stop();
    await sink.stop();

    const spans = sink.spans.filter((span) => span.traceId === traceId);
    const calls = Object.keys(beside);
    expect(spans.map(({ name }) => name).sort()).toEqual([...chain, question, ...calls, ...calls].sort());
    const spanOf = (name: string) => spans.find((candidate) => candidate.name === name);
    let parent = callerSpanId;
    for (const name of chain) {
      const span = spanOf(name);
      expect([name, span?.parentSpanId, span?.attributes["gatehouse.request_id"]]).toEqual([name, parent, "traced-1"]);
      parent = span?.spanId ?? "";
    }
    const attempt = spanOf("chat m");
    expect(spanOf(question)?.parentSpanId).toBe(attempt?.parentSpanId);
    for (const [name, above] of Object.entries(beside)) {
      const ofCall = spans.filter((span) => span.name === name);
      const client = ofCall.find(({ parentSpanId }) => parentSpanId === spanOf(above)?.spanId);
      const server = ofCall.find(({ parentSpanId }) => parentSpanId === client?.spanId);
      expect([client?.attributes, server?.attributes]).toMatchObject([
        { "rpc.system": "grpc", "rpc.grpc.status_code": expect.anything() as unknown, "server.address": "127.0.0.1" },
        { "rpc.system": "grpc", "rpc.grpc.status_code": expect.anything() as unknown },
      ]);
      expect(client?.service).not.toBe(server?.service);
    }
    expect(attempt?.attributes).toMatchObject(fromProvider);
    expect(spans.find(({ spanId }) => spanId === attempt?.parentSpanId)?.attributes).toMatchObject(withHead);
    // Set with the provider's last chunks, so the span has lasted as long as the stream.
    const streamSpan = sink.spans.find(({ name, traceId: of }) => name === "chat m" && of === streamTraceId);
    expect(streamSpan?.attributes).toMatchObject(fromProvider);
    const above = sink.spans.find(({ spanId }) => spanId === streamSpan?.parentSpanId);
    expect(above?.attributes).toMatchObject(answered);
    for (const { resource, service } of sink.spans) {
      expect(resource).toMatchObject({ "deployment.environment.name": "test", "service.name": service });
      expect(service).not.toBe("other");
    }
    for (const secret of [prompt, modelText, world.token, world.product.adminKey, key]) {
      expect(sink.raw()).not.toContain(secret);
      expect(world.product.output()).not.toContain(secret);
    }
  },
);
