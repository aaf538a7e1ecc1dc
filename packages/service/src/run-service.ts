import { setTimeout as delay } from "node:timers/promises";
import { ConfigError, type Environment } from "@gatehouse/config";
import { createTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { createProcessHost, type ProcessConfig, type ProcessHost } from "./process-host.ts";
import type { Service } from "./service.ts";
import { listenForService } from "./service-server.ts";

export interface ServiceProgram<Config extends ProcessConfig> {
  readonly name: string;
  readonly loadConfig: (env: Environment) => Config;
  readonly create: (config: Config, host: ProcessHost) => Service;
}

/**
 * A service's whole `main`: configuration, telemetry, start, signals, an orderly end, and the exit code: 0 after a signal, 1 when
 * the service could not start or stop, 2 when a setting is wrong. `/healthz` answers from the beginning, and `/readyz` says why
 * the service is not ready, while the start waits for a database that is away.
 */
export async function runService<Config extends ProcessConfig>(
  { name, loadConfig, create }: ServiceProgram<Config>,
  process: NodeJS.Process,
): Promise<void> {
  const config = orExit(() => {
    const loaded = loadConfig(process.env);
    const { service: owner } = loaded.host.trust;
    if (owner !== name) throw new ConfigError([`GATEHOUSE_SERVICE_KEY is of ${owner}, and this is ${name}.`]);
    return loaded;
  }, process);
  const { logLevel, otlpEndpoint } = config.host;
  const telemetry = await createTelemetry({ service: name, logLevel, otlpEndpoint });
  let isEnding = false;
  try {
    const service = create(config, createProcessHost(name, config, telemetry));
    const server = await listenForService(service, config.host, telemetry);
    onSignal(process, async () => {
      isEnding = true;
      server.announceStop();
      if (server.isServing()) await delay(config.host.stopNoticeMs);
      service.endStreams?.();
      await server.stop();
      await service.stop();
      await telemetry.shutdown();
    });
    telemetry.log.info({ httpPort: server.httpPort }, `${name} is starting.`);
    await service.start({ isPatient: true });
    if (isEnding) return;
    const rpcPort = await server.serve();
    telemetry.log.info({ httpPort: server.httpPort, rpcPort }, `${name} is ready.`);
  } catch (err) {
    // The signal's handler ends what was opened, and the process.
    if (!isEnding) failToStart(err, { process, telemetry });
  }
}

/** One Ctrl-C may arrive twice: from the terminal and passed on by a parent, such as npm. */
const repeatedSignalMs = 1_000;

/**
 * Runs `end` once, on the first SIGINT or SIGTERM, then exits: 0 when it went well. Another signal a second or more
 * later exits at once.
 */
export function onSignal(process: NodeJS.Process, end: () => Promise<void>): void {
  let firstAt: number | undefined;
  const handle = (): void => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt >= repeatedSignalMs) process.exit(1);
      return;
    }
    firstAt = performance.now();
    end().then(
      () => process.exit(0),
      (err: unknown) => {
        process.stderr.write(`Stopping failed: ${err instanceof Error ? err.message : "unknown"}\n`);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
}

interface Host {
  readonly process: NodeJS.Process;
  readonly telemetry: Telemetry;
}

/** Half-open connections of a failed start end with the process. */
function failToStart(err: unknown, { process, telemetry }: Host): never {
  if (err instanceof ConfigError) exitWith(err, process);
  telemetry.log.fatal({ err }, "The service could not start.");
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
