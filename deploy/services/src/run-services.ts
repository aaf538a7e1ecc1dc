import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { holdPort } from "@gatehouse/http";
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
import { createRunTrust, serviceNames } from "@gatehouse/trust";
import { startBroker } from "./broker.ts";
import { makeRunCertificates } from "./certificates.ts";
import type { ServicesConfig } from "./config.ts";
import { isReady } from "./is-ready.ts";
import { formatLogLine } from "./log-view.ts";
import { choosePlaces, type Place } from "./places.ts";
import { PortChoice } from "./port-choice.ts";
import { prepareDatabase } from "./prepare-database.ts";
import { environmentOf, type ServiceContext } from "./service-env.ts";
import { environmentOfSet, groupPlaces } from "./sets.ts";
import { SupervisedProcess } from "./supervised-process.ts";

/** Time within which every service must become ready. */
const readyTimeoutMs = 60_000;
const readyPollMs = 50;
/** Early ends of a service after which the start has failed. */
const failuresMax = 3;

const repository = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Runs each service as a separate process until a signal stops them all. @throws StartError or PostgresError at start. */
export async function runServices(config: ServicesConfig, process: NodeJS.Process): Promise<void> {
  await runUntilSignal(process, {
    start: async (opened) => await start(config, opened),
    explain: (err) => toStartError(err, { port: config.router.port, command: "npm run start:services" }),
  });
}

async function start(config: ServicesConfig, opened: StartedResources): Promise<void> {
  await checkPorts(config.router);
  const ports = new PortChoice();
  for (const { port } of [config.router, config.router.operations]) ports.take(port);
  const choose = async (set: number) => (set === 0 ? await ports.choose(0) : set);
  const isPassedThrough = config.databaseUrl === undefined && process.getuid?.() === 0;
  const home = await openHome(config.home, isPassedThrough);
  const databaseUrl = config.databaseUrl ?? (await openPostgres(home.folder, opened));
  progress("Applying migrations.");
  const databaseUrls = await prepareDatabase(databaseUrl);
  opened.goOn();
  const certificates = config.isEncrypted ? await makeRunCertificates(home.folder) : undefined;
  const onLine = (line: string) => {
    // Informational lines of the broker are not shown.
    if (!line.includes("[INF]")) showLine("nats-server", line);
  };
  const broker =
    config.events.natsUrl === undefined
      ? await startBroker(home.folder, ports, certificates?.brokerFolder, onLine)
      : undefined;
  if (broker !== undefined) opened.add(async () => await broker.stop());
  const { router } = config;
  const routerPort = await choose(router.port);
  const places = await choosePlaces(routerPort, ports);
  const operationsPort = await choose(router.operations.port);
  const adminKey = openUnshownAdminKey(home.folder);
  // A restarted router finds the connections that arrived meanwhile.
  const port = await holdPort({ host: router.host, port: routerPort });
  await startProcesses(
    {
      config,
      rootSecret: home.rootSecret,
      trust: createRunTrust(serviceNames),
      certificates,
      places,
      operationsPort,
      databaseUrls,
      natsUrl: broker?.url ?? requireUrl(config),
      natsSeeds: broker?.seeds,
      adminKeyFile: adminKey.path,
      routerPort: port,
    },
    opened,
  );
  const url = `http://${displayHost(router.host)}:${routerPort}`;
  const createdKey = await adminKey.read();
  const demo = await createFirstDemo(url, {
    home: config.home,
    isWanted: config.demo,
    adminKey: createdKey ?? config.adminKey,
    providerKeys: config.providerKeys,
  });
  const { serviceName } = router;
  const greeting = formatGreeting({ serviceName, url, home: home.folder, adminKey: createdKey?.reveal(), demo });
  process.stdout.write(`${greeting}\n`);
  adminKey.forget();
}

/** Starts all at once, since each waits for its dependencies. They are stopped one after another, in reverse. */
async function startProcesses(context: ServiceContext, opened: StartedResources): Promise<void> {
  progress("Starting the services.");
  const { places, config } = context;
  const processes = groupPlaces(places, config.sets).map((group) => ({
    group,
    process: superviseServices(group, context),
  }));
  for (const { process } of processes) opened.add(async () => await process.stop());
  // Released before the router ends, so that no connection waits for a process that does not come.
  opened.add(async () => await Promise.resolve(context.routerPort.release()));
  for (const { process } of processes) process.start();
  const until = performance.now() + readyTimeoutMs;
  for (const { group, process } of processes) {
    const name = nameOf(group);
    while (!(await areReady(group, context))) {
      opened.goOn();
      if (process.failures >= failuresMax) {
        throw new StartError(`${name} has ended ${process.failures} times while starting; its log is above.`);
      }
      if (performance.now() > until) {
        throw new StartError(`${name} was not ready within ${readyTimeoutMs / 1_000} s; its log is above.`);
      }
      await delay(readyPollMs);
    }
  }
}

const nameWidth = Math.max(...serviceNames.map((name) => name.length));

async function areReady(group: readonly Place[], context: ServiceContext): Promise<boolean> {
  return (await Promise.all(group.map(async (place) => await isReady(place, context)))).every(Boolean);
}

function nameOf(group: readonly Place[]): string {
  return group.map(({ name }) => name).join(",");
}

function superviseServices(group: readonly Place[], context: ServiceContext): SupervisedProcess {
  const name = nameOf(group);
  return new SupervisedProcess({
    ...programOf(group, context),
    workingFolder: repository,
    ...(name === "router" ? { listenFd: context.routerPort.fd } : {}),
    onLine: (line) => showLine(name, line),
    onNotice: (message) => progress(`${name} ${message}`),
  });
}

/** Program of a service with its settings, or of a set with those of each. */
function programOf(group: readonly Place[], context: ServiceContext) {
  const [place] = group;
  if (place !== undefined && group.length === 1) {
    const script = join(repository, "services", place.name, "dist", "main.js");
    return { script, args: [], env: { ...environmentOf(place, context) } };
  }
  const env = environmentOfSet(group.map((each) => [each.name, environmentOf(each, context)]));
  return { script: join(repository, "deploy", "serve", "dist", "main.js"), args: [nameOf(group)], env };
}

function showLine(name: string, line: string): void {
  process.stdout.write(`${formatLogLine(name.padEnd(nameWidth), line)}\n`);
}

function requireUrl({ events }: ServicesConfig) {
  if (events.natsUrl === undefined)
    throw new StartError("No broker was started. Set NATS_URL, or install nats-server.");
  return events.natsUrl;
}
