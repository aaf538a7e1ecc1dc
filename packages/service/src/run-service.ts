import { setTimeout as delay } from "node:timers/promises";
import { ConfigError, type Environment } from "@gatehouse/config";
import { createTelemetry, type Telemetry } from "@gatehouse/telemetry";
import type { HostConfig } from "./host-config.ts";
import type { Service } from "./service.ts";
import { serveService } from "./service-server.ts";

export interface ServiceProgram<Config extends { readonly host: HostConfig }> {
  readonly name: string;
  readonly loadConfig: (env: Environment) => Config;
  readonly create: (config: Config, telemetry: Telemetry) => Service;
}

/**
 * A service's whole `main`: configuration, telemetry, start, signals, an orderly end, and the exit code: 0 after a signal, 1 when
 * the service could not start or stop, 2 when its configuration is wrong.
 */
export async function runService<Config extends { readonly host: HostConfig }>(
  { name, loadConfig, create }: ServiceProgram<Config>,
  process: NodeJS.Process,
): Promise<void> {
  const config = orExit(() => loadConfig(process.env), process);
  const { logLevel, otlpEndpoint } = config.host;
  const telemetry = createTelemetry({ service: name, logLevel, otlpEndpoint });
  const { service, server } = await startOrExit(
    async () => {
      const created = create(config, telemetry);
      await created.start();
      return { service: created, server: await serveService(created, config.host, telemetry) };
    },
    { process, telemetry },
  );
  telemetry.log.info({ httpPort: server.httpPort, rpcPort: server.rpcPort }, `${name} is ready.`);
  onSignal(process, async () => {
    server.announceStop();
    await delay(config.host.stopNoticeMs);
    service.endStreams?.();
    await server.stop();
    await service.stop();
    await telemetry.shutdown();
  });
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

/** What is half open when a start fails ends with the process. */
async function startOrExit<T>(start: () => Promise<T>, { process, telemetry }: Host): Promise<T> {
  try {
    return await start();
  } catch (err) {
    telemetry.log.fatal({ err }, "The service could not start.");
    return process.exit(1);
  }
}

function orExit<T>(load: () => T, process: NodeJS.Process): T {
  try {
    return load();
  } catch (err) {
    if (!(err instanceof ConfigError)) throw err;
    process.stderr.write(`${err.message}\n`);
    return process.exit(2);
  }
}
