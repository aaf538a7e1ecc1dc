import type { ListeningSocket } from "@gatehouse/http";
import { openRpcChannel, type RpcChannel } from "@gatehouse/rpc";
import { guardProcess, type ProcessHost, releaseMemoryAtRest } from "@gatehouse/service";
import { createTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { ServiceTrust } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import type { StandaloneConfig } from "../config.ts";
import { Members } from "../product.ts";
import { createLinkSiblings } from "./link-siblings.ts";
import { createLinkTransport } from "./link-transport.ts";
import { type Answer, ProcessLink, type WorkerStart } from "./process-link.ts";

const metricsTimeoutMs = 5_000;
/** The primary need not answer, since it polls its outboxes. */
const wakeTimeoutMs = 1_000;

/** Whole `main` of a worker: waits for the primary's start message, takes calls, and ends with a signal or with the primary. */
export function runWorker(process: NodeJS.Process, config: StandaloneConfig): void {
  const link = new ProcessLink(process);
  link.answer("start", async (start, socket) => await startWorker(process, { link, config, start, socket }));
  link.answer("alive", async () => await Promise.resolve({ value: null }));
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}

interface Starting {
  readonly link: ProcessLink;
  readonly config: StandaloneConfig;
  readonly start: WorkerStart;
  readonly socket: ListeningSocket | undefined;
}

async function startWorker(process: NodeJS.Process, { link, config, start, socket }: Starting) {
  const { logLevel, otlp } = config;
  const telemetry = await createTelemetry("gatehouse", logLevel, otlp);
  const { metrics } = telemetry;
  // A client cannot choose the worker, so every worker returns the product's metrics.
  metrics.metrics = async () => (await link.ask("allMetrics", null, metricsTimeoutMs)).value;
  const channels: RpcChannel[] = [];
  const members = new Members(
    {
      config,
      databaseUrl: new Secret(start.databaseUrl),
      rootSecret: new Secret(start.rootSecret),
      telemetry,
      events: createLinkTransport(link),
      spillFolder: start.spillFolder,
    },
    connectionsOf({ link, start, telemetry, channels }),
  );
  const publishers = members.addDataPlane();
  const { router: settings } = config.router;
  let isPortHeld = true;
  link.answer("portIsYours", async () => {
    isPortHeld = false;
    return await Promise.resolve({ value: null });
  });
  const router = members.addRouter({
    router: { ...settings, port: start.port, operations: { host: "127.0.0.1", port: 0 } },
    controlPlaneUrl: start.controlPlaneUrl,
    controlPlaneRpcAddress: start.controlPlaneRpcAddress,
    sharedPort: { isHeld: () => isPortHeld, ...(socket === undefined ? {} : { socket }) },
  });
  const together = members.runTogether([], publishers, router);
  guardProcess(process, {
    log: () => telemetry.log,
    drainMs: () => settings.stopping.drainMs + settings.stopping.noticeMs,
    onFault: () => void link.ask("replaceMe", null, wakeTimeoutMs).catch(() => {}),
    async end() {
      await together.stop();
      for (const channel of channels) channel.close();
      await telemetry.shutdown();
    },
  });
  await together.start();
  releaseMemoryAtRest();
  link.answer("metrics", async () => ({ value: await metrics.getMetricsAsJSON() }));
  // Includes the services beside it.
  link.answer("readiness", async () => ({ value: await router.readiness() }));
  return { value: { port: router.port() }, socket: router.socket() } satisfies Answer<"start">;
}

interface Connecting extends Pick<Starting, "link" | "start"> {
  readonly telemetry: Telemetry;
  /** Receives the opened channels, which the worker closes. */
  readonly channels: RpcChannel[];
}

/** A worker's ways to the primary and to the other workers. */
function connectionsOf({ link, start, telemetry, channels }: Connecting): Partial<ProcessHost> {
  const { metrics, tracing } = telemetry;
  const trust = new ServiceTrust({ text: start.serviceKey }, { text: start.trust });
  return {
    trust,
    connect(target, peer) {
      const channel = openRpcChannel({ ...peer, target, trust, metrics, tracing });
      channels.push(channel);
      return channel;
    },
    siblings: createLinkSiblings(link),
    relays: {
      isHere: false,
      wake: (service) => void link.ask("wake", service, wakeTimeoutMs).catch(() => {}),
    },
  };
}
