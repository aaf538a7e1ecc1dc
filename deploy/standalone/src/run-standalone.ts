import { join } from "node:path";
import { type LocalPostgres, startPostgres } from "@gatehouse/postgres";
import { OperationsPortError } from "@gatehouse/router";
import { onSignal } from "@gatehouse/service";
import { createTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { loadConfig, type StandaloneConfig } from "./config.ts";
import { createDemo, type Demo } from "./demo.ts";
import { formatGreeting } from "./greeting.ts";
import { type Home, markOnce, openHome } from "./home.ts";
import { composeProduct, type Product } from "./product.ts";
import { StartError } from "./start-error.ts";

/** Runs the product in this process until a signal ends it. @throws StartError, ConfigError or PostgresError at start. */
export async function runStandalone(process: NodeJS.Process): Promise<void> {
  const config = loadConfig(process.env);
  const isPassedThrough = config.databaseUrl === undefined && process.getuid?.() === 0;
  const home = await openHome(config.home, { isPassedThrough });
  const telemetry = createTelemetry({
    service: "gatehouse",
    logLevel: config.logLevel,
    otlpEndpoint: config.otlpEndpoint,
  });
  const postgres = config.databaseUrl === undefined ? await startOwnPostgres(home) : undefined;
  const databaseUrl = config.databaseUrl ?? new Secret(postgres?.url ?? "");

  let createdKey: Secret | undefined;
  const product = composeProduct({
    config,
    databaseUrl,
    rootSecret: home.rootSecret,
    telemetry,
    onAdminKeyCreated: (key) => (createdKey = key),
  });
  onSignal(process, async () => {
    progress("Stopping: requests in flight are finished first.");
    await product.stop();
    await telemetry.shutdown();
    await postgres?.stop();
  });
  await startProduct(product, config, postgres);

  const url = `http://${displayHost(config.router.host)}:${product.port()}`;
  const demo = await createFirstDemo(config, url, createdKey);
  const { serviceName } = config.router;
  console.log(formatGreeting({ serviceName, url, home: home.folder, adminKey: createdKey?.reveal(), demo }));
}

async function startOwnPostgres({ folder }: Home): Promise<LocalPostgres> {
  progress("Starting Postgres.");
  return await startPostgres({
    dataDir: join(folder, "postgres"),
    logFile: join(folder, "postgres.log"),
    onProgress: progress,
    onUnexpectedExit: () => progress("Postgres has ended unexpectedly. Stop the gateway and start it again."),
  });
}

async function startProduct(product: Product, { router }: StandaloneConfig, postgres?: LocalPostgres): Promise<void> {
  progress("Applying migrations and starting the services.");
  try {
    await product.start();
  } catch (err) {
    await postgres?.stop();
    throw toStartError(err, router.port);
  }
}

/** The first start with an administrator's key at hand makes something to try the gateway on; later ones leave it alone. */
async function createFirstDemo(
  config: StandaloneConfig,
  url: string,
  createdKey: Secret | undefined,
): Promise<Demo | undefined> {
  const adminKey = createdKey ?? config.controlPlane.adminKey;
  if (!config.demo || adminKey === undefined || !(await markOnce(config.home, "demo-made"))) return undefined;
  try {
    return await createDemo(url, adminKey, config.providerKeys);
  } catch (err) {
    progress(`The demo project could not be made: ${err instanceof Error ? err.message : "unknown"}`);
    return undefined;
  }
}

function toStartError(err: unknown, port: number): unknown {
  if (err instanceof OperationsPortError) return new StartError(err.message, { cause: err });
  const code = err instanceof Error && "code" in err ? err.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new StartError(
        `Port ${port} is taken. Stop what uses it, or start with another one: PORT=${port + 1} npm start`,
      );
    case "EACCES":
      return new StartError(`Port ${port} may not be used by this user. Choose one above 1023: PORT=8080 npm start`);
    case "ECONNREFUSED":
    case "ENOTFOUND":
      return new StartError("The Postgres that DATABASE_URL names cannot be reached. Start it, or mend DATABASE_URL.", {
        cause: err,
      });
    default:
      return err;
  }
}

function displayHost(host: string): string {
  return host === "0.0.0.0" || host === "::" || host === "127.0.0.1" ? "localhost" : host;
}

function progress(message: string): void {
  console.log(`· ${message}`);
}
