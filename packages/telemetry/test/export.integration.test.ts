import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Registry } from "prom-client";
import { afterEach, expect, test, vi } from "vitest";
import { createLogger } from "../src/index.ts";
import { openExport } from "../src/open-export.ts";

/** Longest end of an export in this test: its bound, and a margin for a busy machine. */
const endMsMax = 6_000;

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Sends one span to a collector with this behaviour, and shuts down. */
async function endWith(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${port}`);
  const lines: string[] = [];
  const log = createLogger({ service: "test", level: "warn", destination: { write: (line) => void lines.push(line) } });
  const registry = new Registry();
  const exported = openExport("test", registry, { followsCaller: true, ratio: 1 }, log);
  exported.tracing.start("call", { kind: "server" }).end();
  const beganMs = performance.now();
  await exported.shutdown();
  const tookMs = performance.now() - beganMs;
  return { lines, metrics: await registry.metrics(), tookMs };
}

test("a collector that refuses is logged and counted, without the text of its reply", async () => {
  const { lines, metrics } = await endWith((req, res) => {
    req.resume().on("end", () => res.writeHead(401).end("no such key: secret"));
  });
  const failed = lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg).toSorted();
  expect(failed).toEqual(
    ["metrics", "spans"].map((signal) => expect.stringContaining(`${signal} to OTEL_EXPORTER_OTLP_ENDPOINT failed`)),
  );
  expect(metrics).toContain('gatehouse_otlp_export_failures_total{signal="spans"} 1');
  expect(lines.join("")).not.toContain("secret");
});

test("a collector that accepts everything is not logged", async () => {
  const { lines, metrics } = await endWith((req, res) => {
    req.resume().on("end", () => res.setHeader("content-type", "application/json").end("{}"));
  });
  expect(lines).toEqual([]);
  expect(metrics).toContain('gatehouse_otlp_export_failures_total{signal="spans"} 0');
});

test("a frozen collector does not delay the end of a process", async () => {
  const { tookMs } = await endWith(() => {});
  expect(tookMs).toBeLessThan(endMsMax);
});
