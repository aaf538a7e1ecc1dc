import { setTimeout as delay } from "node:timers/promises";
import { ConfigError, type Environment } from "@gatehouse/config";
import { createTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { guardProcess } from "./guard-process.ts";
import { opensPorts } from "./host-config.ts";
import { releaseMemoryAtRest } from "./memory-at-rest.ts";
import { createProcessHost, type ProcessConfig } from "./process-host.ts";
import { listenForService, type ServiceListener } from "./service-server.ts";
import { type CreateMember, type MemberHost, ServiceSet } from "./service-set.ts";
import type { Service } from "./service.ts";
import { UnusablePortError } from "./unusable-port.ts";

/** A service that a process can run: its settings, and its composition in any set. */
export interface ServiceProgram<Config> {
  readonly name: string;
  /** @throws ConfigError with every problem, by name. */
  readonly loadConfig: (env: Environment) => Config & ProcessConfig;
  readonly create: (config: Config, host: MemberHost) => Service;
}

/** A program without its type of settings. */
export interface RunnableService {
  readonly name: string;
  readonly load: (env: Environment) => { readonly config: ProcessConfig; readonly create: CreateMember };
}

/** Binds a program to its configuration, so that programs of different types fit one list. */
export function toRunnable<Config>({ name, loadConfig, create }: ServiceProgram<Config>): RunnableService {
  return {
    name,
    load(env) {
      const config = loadConfig(env);
      return { config, create: (host) => create(config, host) };
    },
  };
}

/** A service's whole `main`; see {@link runServices}. */
export async function runService<Config>(program: ServiceProgram<Config>, process: NodeJS.Process): Promise<void> {
  await runServices([toRunnable(program)], { process, environmentOf: () => process.env });
}

interface ServicesRun {
  readonly process: NodeJS.Process;
  readonly environmentOf: (service: string) => Environment;
}

/**
 * The whole `main` of a process with one service or several, each after those that it calls: configuration, telemetry, start,
 * signals and shutdown. Exit codes: 0 after a signal, 1 when a service could not start or stop or after an uncaught exception, 2
 * for a wrong setting. `/healthz` answers from the beginning; while the start waits for a database, `/readyz` gives the reason.
 */
export async function runServices(programs: readonly RunnableService[], run: ServicesRun): Promise<void> {
  const { process } = run;
  const loaded = orExit(() => loadAll(programs, run.environmentOf), process);
  const members: Member[] = [];
  /** The service being started, whose log has a failure. */
  let starting: Starting | undefined;
  let isEnding = false;
  try {
    const set = new ServiceSet();
    for (const each of loaded) {
      const telemetry = await openTelemetry(each);
      starting = { name: each.name, telemetry };
      members.push(await addMember(set, each, telemetry));
    }
    guardProcess(process, {
      log: () => (starting ?? members[0])?.telemetry.log,
      drainMs: () => members.reduce((sum, { drainMs, stopNoticeMs }) => sum + drainMs + stopNoticeMs, 0),
      async end() {
        isEnding = true;
        await stopAll(members);
      },
    });
    for (const member of members) {
      const { service, listener, telemetry } = member;
      const { httpPort } = listener ?? {};
      starting = { name: service.name, telemetry };
      telemetry.log.info({ http_port: httpPort }, `${service.name} is starting.`);
      await service.start({ isPatient: true });
      if (isEnding) return;
      if (listener === undefined) continue;
      const rpcPort = await listener.serve();
      telemetry.log.info({ http_port: httpPort, rpc_port: rpcPort }, `${service.name} is ready.`);
    }
    releaseMemoryAtRest();
  } catch (err) {
    // Otherwise the signal handler closes what was opened, and exits.
    if (isEnding) return;
    const owner = loaded.length === 1 ? "" : `${starting?.name}: `;
    failToStart(err, { process, owner, log: starting?.telemetry.log });
  }
}

interface Starting {
  readonly name: string;
  readonly telemetry: Telemetry;
}

interface Loaded {
  readonly name: string;
  readonly config: ProcessConfig;
  readonly create: CreateMember;
}

function loadAll(programs: readonly RunnableService[], environmentOf: ServicesRun["environmentOf"]): Loaded[] {
  const problems: string[] = [];
  const loaded = programs.flatMap(({ name, load }) => {
    try {
      const found = load(environmentOf(name));
      const { service: owner } = found.config.host.trust;
      if (owner !== name)
        throw new ConfigError([`GATEHOUSE_SERVICE_KEY belongs to the service ${owner}, but this service is ${name}.`]);
      return [{ name, ...found }];
    } catch (err) {
      if (!(err instanceof ConfigError)) throw err;
      problems.push(...err.problems.map((problem) => (programs.length === 1 ? problem : `${name}: ${problem}`)));
      return [];
    }
  });
  problems.push(...findSharedPorts(loaded));
  if (problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

/** Finds ports that several services of a set would listen on. */
function findSharedPorts(loaded: readonly Loaded[]): readonly string[] {
  const takenBy = new Map<number, string>();
  return loaded.flatMap(({ name, config: { host } }) => {
    const ports = opensPorts(host) ? [host.httpPort, host.rpcPort].filter((port) => port !== 0) : [];
    return ports.flatMap((port) => {
      const other = takenBy.get(port);
      takenBy.set(port, name);
      return other === undefined
        ? []
        : [`PORT and RPC_PORT: ${other} and ${name} both use ${port}; give each its own port.`];
    });
  });
}

/** A service of the process, with its resources. */
interface Member {
  readonly service: Service;
  /** Time for its callers to use other processes, milliseconds; 0 for a service with its own ports. */
  readonly stopNoticeMs: number;
  /** Longest wait for its calls in flight, milliseconds; 0 for a service with its own ports. */
  readonly drainMs: number;
  /** Separate for each service: its name in logs and traces, and its metrics at its port. */
  readonly telemetry: Telemetry;
  readonly listener: ServiceListener | undefined;
}

async function openTelemetry({ name, config: { host } }: Loaded): Promise<Telemetry> {
  return await createTelemetry(name, host.logLevel, host.otlp);
}

async function addMember(set: ServiceSet, { name, config, create }: Loaded, telemetry: Telemetry): Promise<Member> {
  const { host } = config;
  const service = set.add(create, createProcessHost(name, config, telemetry));
  const listener = opensPorts(host) ? await listenForService(service, host, telemetry) : undefined;
  const { stopNoticeMs, drainTimeoutMs: drainMs } = opensPorts(host) ? host : { stopNoticeMs: 0, drainTimeoutMs: 0 };
  return { service, stopNoticeMs, drainMs, telemetry, listener };
}

/** Announces all stops at once; then each service stops before those that it calls. */
async function stopAll(members: readonly Member[]): Promise<void> {
  for (const { listener } of members) listener?.announceStop();
  for (const { service } of members) service.giveUpWhenSilent?.();
  const serving = members.filter(({ listener }) => listener?.isServing() === true);
  await delay(Math.max(0, ...serving.map(({ stopNoticeMs }) => stopNoticeMs)));
  for (const { service, listener, telemetry } of members.toReversed()) {
    service.endStreams?.();
    await listener?.stop();
    await service.stop();
    await telemetry.shutdown();
  }
}

interface FailedStart {
  readonly process: NodeJS.Process;
  /** Beginning of a message that names the service; empty where the process has one alone. */
  readonly owner: string;
  readonly log: Telemetry["log"] | undefined;
}

/** Exits without closing: half-open connections of a failed start end with the process. */
function failToStart(err: unknown, { process, owner, log }: FailedStart): never {
  if (err instanceof ConfigError) exitWith(err, process);
  if (err instanceof UnusablePortError) process.stderr.write(`${owner}${err.message}\n`);
  else log?.fatal({ err }, "The service could not start.");
  return process.exit(1);
}

function orExit<T>(load: () => T, process: NodeJS.Process): T {
  try {
    return load();
  } catch (err) {
    if (!(err instanceof ConfigError)) throw err;
    return exitWith(err, process);
  }
}

function exitWith(err: ConfigError, process: NodeJS.Process): never {
  process.stderr.write(`${err.message}\n`);
  return process.exit(2);
}
