import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { findDebianProgram } from "@gatehouse/nats-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { send } from "../src/chat-client.ts";
import { startServices } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { type SpanSink, startSpanSink } from "../src/span-sink.ts";
import { createWorld, type World } from "./suite/world.ts";

const folder = fileURLToPath(new URL("../../../deploy/observability/", import.meta.url));
const dashboards = join(folder, "dashboards");

const broker = await findNatsServer();
/** Prometheus' checker of rules and metrics. */
const { program: promtool, problem } = await findDebianProgram({
  name: "promtool",
  package: "prometheus",
  path: "usr/bin/promtool",
});
if (promtool === undefined) process.stderr.write(`\n!!! No promtool: checks of alerts are SKIPPED. (${problem})\n\n`);

// Without a broker, services store no gateway log and count no model calls.
describe.skipIf(broker === undefined)("the metrics of services", () => {
  let nats: TestNatsServer;
  let sink: SpanSink;
  let world: World;
  let texts: readonly string[];

  beforeAll(async () => {
    nats = await startNatsServer(broker ?? "");
    sink = await startSpanSink();
    const env = {
      NATS_URL: nats.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      GATEWAY_LOG_OTLP_ENDPOINT: sink.url,
    };
    world = await createWorld(async () => await startServices({ env }));
    const { path } = await world.endpoint();
    world.primary.play(answer("dove"));
    await send(world.product, path, { token: world.token, body: { message: "dove" } });
    texts = await Promise.all(
      world.product.metricsUrls.map(async (url) => await (await fetch(`${url}/metrics`)).text()),
    );
  });
  afterAll(async () => {
    await world.stop();
    await sink.stop();
    await nats.remove();
  });

  test("include every name used in an alert or a dashboard", async () => {
    const known = new Set(texts.flatMap(namesOf));
    const asked = await expressions();
    expect(asked.length).toBeGreaterThan(50);
    const names = asked.flatMap((expression) => expression.match(/\b(?:gatehouse|nodejs|process)_[a-z0-9_]+/g) ?? []);
    expect([...new Set(names)].filter((name) => !known.has(name))).toEqual([]);
  });

  test("describe a call by route, service, gRPC method and provider, and the parts of each service", () => {
    const all = texts.join("\n");
    for (const series of [
      /^gatehouse_router_requests_total\{route="chat_direct",status="200"\} 1$/m,
      /^gatehouse_http_request_duration_seconds_count\{service="chat",status="200"\} 1$/m,
      /^gatehouse_rpc_duration_seconds_count\{rpc_method="[a-z0-9_.]+\.PrincipalService\/resolveToken",code="ok"\} [1-9]/m,
      /^gatehouse_model_tokens_total\{provider="[^"]+",kind="completion"\} [1-9]/m,
      /^gatehouse_peers\{peer_service="guardrail",state="serving"\} 1$/m,
      /^gatehouse_part_healthy\{service="chat",part="database"\} 1$/m,
      /^gatehouse_part_healthy\{service="chat",part="keyring"\} 1$/m,
    ]) {
      expect(all).toMatch(series);
    }
  });

  test("are exported to a collector with spans and the gateway log, each to a pipeline in the composed configuration", async () => {
    const logged = () => sink.received("/v1/logs").join("\n");
    await expect.poll(logged, { timeout: 20_000 }).toContain("chat_direct");
    // Processes export the rest when they stop.
    await world.product.stop();
    const { service, receivers } = parse(await readFile(join(folder, "collector.yml"), "utf8")) as CollectorConfig;
    expect(Object.keys(receivers.otlp.protocols)).toContain("http");
    for (const signal of ["traces", "metrics", "logs"]) {
      expect(sink.received(`/v1/${signal}`).length).toBeGreaterThan(0);
      expect(service.pipelines[signal]?.receivers).toContain("otlp");
    }
    expect([...new Set(sink.spans.map((span) => span.service))]).toEqual(expect.arrayContaining(["router", "chat"]));
    const metrics = sink.received("/v1/metrics").join("\n");
    for (const name of ["router", "control-plane", "chat", "guardrail", "mcp-bridge", "mcp-aggregator", "api-proxy"])
      expect(metrics).toContain(`{"key":"service.name","value":{"stringValue":"${name}"}}`);
    expect(metrics).toContain("gatehouse_router_requests_total");
  });

  test.skipIf(promtool === undefined)("pass Prometheus' own check", async () => {
    for (const text of texts) expect(await check(["check", "metrics"], text)).toBe("");
  });
});

test.skipIf(promtool === undefined)("alert rules are valid, and their unit tests pass", async () => {
  expect(await check(["check", "config", "prometheus.yml"])).toContain("SUCCESS");
  expect(await check(["test", "rules", "alerts.test.yml"])).toContain("SUCCESS");
});

/** The used part of `collector.yml`. */
interface CollectorConfig {
  readonly receivers: { readonly otlp: { readonly protocols: Readonly<Record<string, unknown>> } };
  readonly exporters: Readonly<Record<string, unknown>>;
  readonly processors: Readonly<Record<string, unknown>>;
  readonly service: {
    readonly pipelines: Readonly<
      Record<string, Readonly<Record<"receivers" | "processors" | "exporters", readonly string[]>>>
    >;
  };
}

/** Components of the core distribution, whose image `docker-compose.yml` uses, as far as relevant here. */
const ofDistribution: Readonly<Record<string, readonly string[]>> = {
  receivers: ["otlp"],
  processors: ["batch", "memory_limiter"],
  exporters: ["debug", "otlp", "otlphttp"],
};

test("the collector's pipelines name configured components, which its distribution has", async () => {
  const config = parse(await readFile(join(folder, "collector.yml"), "utf8")) as CollectorConfig;
  for (const kind of ["receivers", "processors", "exporters"] as const) {
    const used = Object.values(config.service.pipelines).flatMap((pipeline) => pipeline[kind]);
    expect(Object.keys(config[kind]).toSorted()).toEqual([...new Set(used)].toSorted());
    // `otlp/traces` is a named `otlp`.
    for (const id of used) expect(ofDistribution[kind]).toContain(id.split("/")[0]);
  }
});

/** Includes Prometheus' suffixes for parts of histograms and summaries. */
function namesOf(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}

async function expressions(): Promise<string[]> {
  const files = await readdir(dashboards);
  const boards = await Promise.all(files.map(async (file) => await readFile(join(dashboards, file), "utf8")));
  const ofBoards = boards.flatMap((text) =>
    (JSON.parse(text) as Dashboard).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  );
  const alerts = await readFile(join(folder, "alerts.yml"), "utf8");
  return [...ofBoards, ...[...alerts.matchAll(/^ +expr: (.*)$/gm)].map(([, expr = ""]) => expr)];
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

/** Runs promtool. @returns its output @throws Error when it fails */
async function check(args: readonly string[], input = ""): Promise<string> {
  const running = promisify(execFile)(promtool ?? "", [...args], { cwd: folder });
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}
