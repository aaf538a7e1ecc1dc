import { join } from "node:path";
import { type EventsConfig, type EventTransport, openTransport } from "@gatehouse/events";
import type { Telemetry } from "@gatehouse/telemetry";
import { type GatewayLog, noGatewayLog } from "./gateway-log-entry.ts";
import { createGatewayLog } from "./gateway-log.ts";

/** Outgoing messages of a service in a separate process: its events, and the outcomes of its requests. */
export interface ProcessLog {
  /** The one connection of the process: audit events go over it beside the entries. */
  readonly transport: EventTransport;
  readonly gatewayLog: GatewayLog;
  /** Before the service starts. */
  start(): Promise<void>;
  /** After the service has stopped. */
  stop(): Promise<void>;
}

/** Without a broker nothing would ever take the entries of the gateway log, so none are kept. */
export function openProcessLog(
  events: EventsConfig,
  /** The folder of a process, or of several: each service has its own in it. */
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
