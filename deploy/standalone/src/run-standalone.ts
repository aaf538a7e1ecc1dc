import { codeOf } from "@gatehouse/errors";
import {
  createFirstDemo,
  displayHost,
  formatGreeting,
  openHome,
  openPostgres,
  openUnshownAdminKey,
  type StartedResources,
  progress,
  runUntilSignal,
  StartError,
  toStartError,
} from "@gatehouse/local-start";
import { checkPorts } from "@gatehouse/router";
import { releaseMemoryAtRest } from "@gatehouse/service";
import { createTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { loadConfig, type StandaloneConfig } from "./config.ts";
import { composeProduct, type Product, type ProductParts } from "./product.ts";
import { composePrimary } from "./workers/primary.ts";

/** Runs the product in this process until a signal stops it. @throws StartError, ConfigError or PostgresError at start. */
export async function runStandalone(process: NodeJS.Process): Promise<void> {
  const config = loadConfig(process.env);
  const { drainMs, noticeMs } = config.router.router.stopping;
  let telemetry: Telemetry | undefined;
  await runUntilSignal(process, {
    log: () => telemetry?.log,
    drainMs: () => drainMs + noticeMs,
    start: async (opened) => await start(config, opened, (created) => (telemetry = created)),
    explain: (err) => explain(err, config.router.router.port),
  });
}

async function start(
  config: StandaloneConfig,
  opened: StartedResources,
  onTelemetry: (created: Telemetry) => void,
): Promise<void> {
  // Before anything is created, so that nothing which is shown only once is lost by a start that must fail.
  await checkPorts(config.router.router);
  const isPassedThrough = config.databaseUrl === undefined && process.getuid?.() === 0;
  const home = await openHome(config.home, isPassedThrough);
  const telemetry = await createTelemetry("gatehouse", config.logLevel, config.otlp);
  onTelemetry(telemetry);
  opened.add(async () => await telemetry.shutdown());
  const databaseUrl =
    config.databaseUrl ?? (await openPostgres(home.folder, opened, Math.max(connectionsMin, countConnections(config))));
  const adminKey = openUnshownAdminKey(home.folder);
  const product = compose({
    config,
    databaseUrl,
    rootSecret: home.rootSecret,
    telemetry,
    onAdminKeyCreated: (key) => adminKey.keep(key),
  });
  progress("Applying migrations and starting the services.");
  opened.add(async () => await product.stop());
  await product.start();
  releaseMemoryAtRest();
  opened.goOn();

  const url = `http://${displayHost(config.router.router.host)}:${product.port()}`;
  const createdKey = await adminKey.read();
  const demo = await createFirstDemo(url, {
    home: config.home,
    isWanted: config.demo,
    adminKey: createdKey ?? config.controlPlane.adminKey,
    providerKeys: config.providerKeys,
  });
  const { serviceName } = config.router.router;
  console.log(formatGreeting({ serviceName, url, home: home.folder, adminKey: createdKey?.reveal(), demo }));
  adminKey.forget();
}

function compose(parts: ProductParts): Product {
  if (parts.config.workers === 1) return composeProduct(parts);
  const product = composePrimary(parts, progress);
  // A closed terminal sends the same signal, to end the process.
  if (!process.stdin.isTTY) process.on("SIGHUP", () => void product.restartWorkers());
  return product;
}

/** Pools of connections of the primary process, and of each worker. */
const poolsOfPrimary = 8;
const poolsOfWorker = 5;
/** Least number of sessions of the server. */
const connectionsMin = 200;
/** Connections that listen for changes, one for each pool, and a few for operators. */
const connectionsToSpare = 20;

/** Sessions for all processes of the product, including a replaced worker beside its successor. */
function countConnections({ workers, chat: { databaseConnectionsMax } }: StandaloneConfig): number {
  const pools = poolsOfPrimary + (workers === 1 ? 0 : (workers + 1) * poolsOfWorker);
  return pools * (databaseConnectionsMax + 1) + connectionsToSpare;
}

function explain(err: unknown, port: number): unknown {
  const code = codeOf(err);
  if (code !== "ENOTSUP" && code !== "EINVAL") return toStartError(err, { port, command: "npm start" });
  return new StartError(
    "This system does not let processes share a port (SO_REUSEPORT). Leave WORKERS out: one process answers all calls.",
    { cause: err },
  );
}
