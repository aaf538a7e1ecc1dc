import type { TraceSampling } from "@gatehouse/config";
import { GatewayError } from "@gatehouse/errors";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { createLogger, untraced } from "./index.ts";
import { collectMetrics } from "./metric-export.ts";
import { createTracing } from "./otel-tracing.ts";
import { readTraceparent, toSpanContext } from "./traceparent.ts";

const incoming = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function recordingTracing(sampling: TraceSampling = { followsCaller: true, ratio: 1 }) {
  const exporter = new InMemorySpanExporter();
  const tracing = createTracing(sampling, [new SimpleSpanProcessor(exporter)]);
  return { exporter, tracing };
}

test("a valid traceparent is the parent, and the next span is a child of this one", () => {
  const { exporter, tracing } = recordingTracing();
  const router = tracing.start("router", { kind: "server", parent: incoming });
  const chat = tracing.start("chat", { kind: "server", parent: router.traceparent });
  chat.end();
  router.end();
  const [chatSpan, routerSpan] = exporter.getFinishedSpans();
  expect(routerSpan?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  expect(chatSpan?.parentSpanContext?.spanId).toBe(routerSpan?.spanContext().spanId);
  expect(chatSpan?.spanContext().traceId).toBe("0af7651916cd43dd8448eb211c80319c");
});

test.each([
  "",
  "garbage",
  `${incoming}-extra`,
  incoming.replace("00-", "ff-"),
  incoming.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
  incoming.toUpperCase(),
])("the traceparent %j is not honoured", (header) => {
  expect(readTraceparent(header)).toBeUndefined();
  expect(untraced.start("x", { kind: "server", parent: header }).traceparent).toBeUndefined();
});

test.each([
  incoming.replace("00-", "cc-"),
  `${incoming.replace("00-", "cc-")}-what-the-future`,
  `${incoming.replace("00-", "01-").slice(0, -2)}ff-`,
])("the traceparent %j of a later version is honoured, and passed on in the known one", (header) => {
  expect(untraced.start("x", { kind: "server", parent: header }).traceparent).toBe(incoming);
  const { tracing } = recordingTracing();
  expect(tracing.start("x", { kind: "server", parent: header }).traceId).toBe("0af7651916cd43dd8448eb211c80319c");
});

test.each([`${incoming.replace("00-", "cc-")}what`, incoming.replace("00-", "cc-").slice(0, -1)])(
  "the traceparent %j of a later version is not honoured",
  (header) => expect(readTraceparent(header)).toBeUndefined(),
);

test("without an exporter a caller's trace is passed on unchanged", () => {
  const span = untraced.start("x", { kind: "server", parent: incoming });
  expect(span).toMatchObject({ traceparent: incoming, traceId: "0af7651916cd43dd8448eb211c80319c" });
});

test("a failed span names the error's code and not its message", () => {
  const { exporter, tracing } = recordingTracing();
  tracing.start("chat", { kind: "server" }).end(new GatewayError("provider_failed", "said: my secret prompt"));
  const [span] = exporter.getFinishedSpans();
  expect(span?.attributes["error.type"]).toBe("provider_failed");
  expect(JSON.stringify([span?.attributes, span?.status, span?.events])).not.toContain("secret");
});

test("secrets in logged objects are blanked", () => {
  const lines: string[] = [];
  const log = createLogger({ service: "test", level: "info", destination: { write: (line) => void lines.push(line) } });
  log.info({ token: "svc_live_abc", request: { headers: { authorization: "Bearer svc_live_abc" } } }, "call");
  expect(lines.join("")).not.toContain("svc_live_abc");
  expect(lines.join("")).toContain("[redacted]");
});

test("an error is logged with its type, message, code, stack and cause only", () => {
  const lines: string[] = [];
  const log = createLogger({ service: "test", level: "info", destination: { write: (line) => void lines.push(line) } });
  const cause = Object.assign(new TypeError("inner"), { requestBodyValues: { messages: ["my prompt"] } });
  log.warn({ err: Object.assign(new Error("outer", { cause }), { code: "E1", client: { huge: true } }) }, "failed");
  const { err } = JSON.parse(lines.join("")) as { err: Record<string, unknown> };
  expect(err).toMatchObject({
    type: "Error",
    message: "outer",
    code: "E1",
    cause: { type: "TypeError", message: "inner" },
  });
  expect(Object.keys(err).sort()).toEqual(["cause", "code", "message", "stack", "type"]);
  expect(lines.join("")).not.toContain("my prompt");
});

test("an error with a message for logs is logged with it, also in its stack", () => {
  const lines: string[] = [];
  const log = createLogger({ service: "test", level: "info", destination: { write: (line) => void lines.push(line) } });
  const cause = Object.assign(new Error("acme answered 400: my prompt"), { loggedMessage: "acme answered 400 (bad)" });
  const err = Object.assign(new Error("Call failed: my prompt", { cause }), { loggedMessage: "Call failed" });
  log.error({ err }, err.loggedMessage);
  expect(lines.join("")).not.toContain("my prompt");
  expect(JSON.parse(lines.join(""))).toMatchObject({
    err: { message: "Call failed", cause: { message: "acme answered 400 (bad)" } },
  });
});

describe("tracing off the sampled path", () => {
  const unsampled = incoming.replace(/01$/, "00");

  test("records nothing of an unsampled request, and keeps its trace", () => {
    const { exporter, tracing } = recordingTracing();
    const span = tracing.start("chat", { kind: "server", parent: unsampled });
    span.end();
    expect(span).toMatchObject({ traceparent: unsampled, traceId: "0af7651916cd43dd8448eb211c80319c" });
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([]);
  });

  test("records an unsampled request when the sampler ignores the caller", () => {
    const { exporter, tracing } = recordingTracing({ followsCaller: false, ratio: 1 });
    tracing.start("chat", { kind: "server", parent: unsampled }).end();
    expect(exporter.getFinishedSpans().at(-1)?.name).toBe("chat");
  });

  test("marks a new trace as unsampled for the services behind", () => {
    const { exporter, tracing } = recordingTracing({ followsCaller: true, ratio: 0 });
    const router = tracing.start("router", { kind: "server" });
    const behind = recordingTracing();
    const chat = behind.tracing.start("chat", { kind: "server", parent: router.traceparent });
    chat.end();
    router.end();
    const { traceparent = "" } = router;
    expect(readTraceparent(traceparent)).toBe(traceparent);
    expect(toSpanContext(traceparent)).toMatchObject({ traceFlags: 0, traceId: router.traceId });
    expect(chat).toMatchObject({ traceparent: router.traceparent, isRecorded: false });
    expect([...exporter.getFinishedSpans(), ...behind.exporter.getFinishedSpans()]).toEqual([]);
  });

  test("marks a trace as unsampled when the sampler drops it", () => {
    const { tracing } = recordingTracing({ followsCaller: false, ratio: 0 });
    expect(tracing.start("chat", { kind: "server", parent: incoming }).traceparent).toBe(unsampled);
  });

  test("a trace is sampled by ratio in all processes or in none, also when the caller is ignored", () => {
    const processes = [1, 2].map(() => recordingTracing({ followsCaller: false, ratio: 0.5 }));
    const sampled = Array.from({ length: 400 }, () => {
      let traceparent: string | undefined;
      return processes.map(({ tracing }) => {
        const span = tracing.start("inner", { kind: "server", parent: traceparent });
        ({ traceparent } = span);
        const { isRecorded } = span;
        span.end();
        return isRecorded;
      });
    });
    expect(sampled.filter(([first, second]) => first !== second)).toEqual([]);
    const share = sampled.filter(([first]) => first).length / sampled.length;
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.65);
    const traces = processes.map(({ exporter }) =>
      exporter.getFinishedSpans().map((span) => span.spanContext().traceId),
    );
    expect(traces[0]).toEqual(traces[1]);
  });
});

test("metrics of the registry are exported under their names, histograms with buckets", async () => {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: "calls_total", help: "Calls.", labelNames: ["route"], registers }).inc({ route: "chat" }, 3);
  new Gauge({ name: "open", help: "Open.", registers }).set(2);
  const histogram = new Histogram({ name: "took_seconds", help: "Time.", buckets: [0.1, 1], registers });
  for (const seconds of [0.05, 0.5, 0.6, 5]) histogram.observe(seconds);
  const metrics = await collectMetrics(registry, [0, 0]);
  const pointOf = (name: string) => metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints[0];
  expect(pointOf("calls_total")).toMatchObject({ value: 3, attributes: { route: "chat" } });
  expect(pointOf("open")).toMatchObject({ value: 2 });
  expect(pointOf("took_seconds")).toMatchObject({
    value: { count: 4, sum: 6.15, buckets: { boundaries: [0.1, 1], counts: [1, 2, 1] } },
  });
});
