import { join } from "node:path";
import { type EventsConfig, type EventTransport, openTransport } from "@gatehouse/events";
import type { Telemetry } from "@gatehouse/telemetry";
import { type GatewayLog, noGatewayLog } from "./gateway-log-entry.ts";
import { createGatewayLog } from "./gateway-log.ts";

/** Outgoing messages of a service in a separate process: its events, and the outcomes of its requests. */
export interface ProcessLog {
  /** The process's one connection, for audit events and entries. */
  readonly transport: EventTransport;
  readonly gatewayLog: GatewayLog;
  /** Call before the service starts. */
  start(): Promise<void>;
  /** Call after the service has stopped. */
  stop(): Promise<void>;
}

/** Opens the log. Without a broker no entries are kept, since they would never be taken. */
export function openProcessLog(
  events: EventsConfig,
  /** Folder of one or several processes; each service has a subfolder. */
  spillFolder: string,
  service: string,
  telemetry: Telemetry,
): ProcessLog {
  const { log, metrics } = telemetry;
  const transport = openTransport(events, service, telemetry);
  const folder = join(spillFolder, `gateway-log-${service}`);
  const gatewayLog =
    events.natsUrl === undefined ? noGatewayLog : createGatewayLog({ transport, spillFolder: folder, log, metrics });
  return {
    transport,
    gatewayLog,
    async start() {
      await transport.start();
      await gatewayLog.start();
    },
    async stop() {
      await gatewayLog.stop();
      await transport.stop();
    },
  };
}
