import { type HttpServer, type Siblings, startHttpServer } from "@gatehouse/http";
import { toOperationsPortError } from "@gatehouse/router";
import {
  cacheReadiness,
  combineReadiness,
  createHealthHandler,
  type HostConfig,
  type Readiness,
  type Service,
  serveService,
  type ServiceServer,
} from "@gatehouse/service";
import { createRunTrust, type RunTrust, type ServiceName, ServiceTrust } from "@gatehouse/trust";
import type { StandaloneConfig } from "../config.ts";
import { Members, ownPlaces, type Product, type ProductParts } from "../product.ts";
import { adoptSpills } from "./adopt-spills.ts";
import { WorkerSupervisor } from "./worker-supervisor.ts";

interface ProductWithWorkers extends Product {
  /** Replaces the worker processes without a failed call. */
  restartWorkers(): Promise<void>;
}

/**
 * The product in several processes: this one has administration, the services that store events, and the relays of all outboxes;
 * workers, which share the port, process the calls. Workers reach the Control Plane over loopback, with keys of this run, and
 * share limits, budgets and sessions through the database, like replicas on different machines.
 * @param onNotice called with a sentence for the operator
 */
export function composePrimary(parts: ProductParts, onNotice: (message: string) => void): ProductWithWorkers {
  const { config, telemetry, onAdminKeyCreated } = parts;
  const places = ownPlaces(parts);
  const wakes = new Map<string, () => void>();
  const onOpened = (service: string, wake: () => void) => void wakes.set(service, wake);
  const running: { supervisor?: WorkerSupervisor; server?: ServiceServer; operations?: HttpServer } = {};
  const siblings: Siblings = {
    // Workers answer the calls, so there is nothing to ask here.
    answer: () => {},
    ask: async (subject, question) => (await running.supervisor?.askSiblings({ subject, question })) ?? [],
  };
  const members = new Members({ ...parts, ...places }, { siblings, relays: { isHere: true, onOpened } });
  const consumers = members.addConsumers();
  const dataPlane = members.addDataPlane();
  const controlPlane = members.addControlPlane(onAdminKeyCreated);
  const publishers = [...dataPlane, controlPlane];
  const together = members.runTogether(consumers, publishers);
  const trust = createRunTrust(["router", "control-plane"]);
  return {
    port: () => running.supervisor?.port ?? 0,
    async start() {
      await adoptSpills(places.spillFolder);
      await together.start();
      running.server = await serveService(controlPlane, hostOf(config, trust), telemetry);
      const ownMetrics = async () => await telemetry.metrics.getMetricsAsJSON();
      const supervisor = new WorkerSupervisor({
        count: config.workers,
        start: startOf(parts, trust, running.server),
        ...places,
        drainMs: config.router.router.stopping.drainMs + config.router.router.stopping.noticeMs,
        wake: (service) => wakes.get(service)?.(),
        ownMetrics,
        onNotice,
      });
      running.supervisor = supervisor;
      await supervisor.start();
      running.operations = await startOperations(parts, supervisor, [...consumers, ...publishers]);
    },
    async stop() {
      together.giveUpWhenSilent();
      await running.operations?.stop(0);
      await running.supervisor?.stop();
      controlPlane.endStreams?.();
      await running.server?.stop();
      await together.stop();
    },
    restartWorkers: async () => await running.supervisor?.restart(),
  };
}

function startOf({ config, databaseUrl, rootSecret }: ProductParts, trust: RunTrust, server: ServiceServer) {
  return {
    port: config.router.router.port,
    databaseUrl: databaseUrl.reveal(),
    rootSecret: rootSecret.reveal(),
    serviceKey: keyOf(trust, "router"),
    trust: trust.text,
    controlPlaneUrl: `http://127.0.0.1:${server.httpPort}`,
    controlPlaneRpcAddress: `127.0.0.1:${server.rpcPort}`,
  };
}

/** Settings of the Control Plane for the workers: free ports on loopback. */
function hostOf({ logLevel, otlp, router: { router } }: StandaloneConfig, trust: RunTrust): HostConfig {
  return {
    host: "127.0.0.1",
    httpPort: 0,
    rpcPort: 0,
    trust: new ServiceTrust({ text: keyOf(trust, "control-plane") }, { text: trust.text }),
    logLevel,
    otlp,
    drainTimeoutMs: router.stopping.drainMs,
    stopNoticeMs: 0,
    writeIdleTimeoutMs: router.http.writeIdleTimeoutMs,
  };
}

function keyOf(trust: RunTrust, service: ServiceName): string {
  return trust.keys.get(service)?.reveal() ?? "";
}

/** Serves `/readyz` and `/metrics` of all processes. @throws UnusablePortError that names the setting. */
async function startOperations(
  { config, telemetry }: ProductParts,
  supervisor: WorkerSupervisor,
  services: readonly Service[],
): Promise<HttpServer> {
  const { operations, http: bounds } = config.router.router;
  const readiness = cacheReadiness(async (): Promise<Readiness> => {
    const [own, ofWorkers] = await Promise.all([combineReadiness(services), supervisor.readiness()]);
    return { ready: own.ready && ofWorkers.ready, problems: [...own.problems, ...ofWorkers.problems] };
  });
  telemetry.metrics.metrics = async () => await supervisor.metrics();
  const health = createHealthHandler(readiness, telemetry);
  try {
    return await startHttpServer((req, res) => void health(req, res).catch(() => res.destroy()), {
      ...operations,
      bounds,
    });
  } catch (cause) {
    throw toOperationsPortError(operations.port, cause);
  }
}
