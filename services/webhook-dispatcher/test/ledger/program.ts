import { flushCompileCache } from "node:module";
import process from "node:process";
import { parseEgressAllow } from "@gatehouse/egress";
import { createInProcessTransport, createNatsTransport, type StreamMessage } from "@gatehouse/events";
import { createSilentTelemetry, createTelemetry } from "@gatehouse/telemetry";
import { parseKeyring, Secret } from "@gatehouse/vault";
import { type Checkpoint, createWebhookDispatcherService } from "../../src/program.ts";

/** Requests of the driver over the channel between the processes. */
export interface StoreRequest {
  readonly requestId: number;
  readonly messages: readonly StreamMessage[];
}

export interface StoreReply {
  readonly requestId: number;
  readonly stored: boolean;
}

/**
 * A dispatcher process for the ledger tests to kill, stop and feed. Events arrive over the channel to the driver, or over NATS.
 * `LEDGER_FAILPOINT=sent:5` kills the process when it reaches that step for the fifth time, like a power cut.
 */
const { LEDGER_DATABASE_URL = "", LEDGER_KEYRING = "", LEDGER_FAILPOINT, LEDGER_NATS_URL } = process.env;
const { LEDGER_TIMEOUT_MS = "500", LEDGER_LEASE_MS = "1000", LEDGER_LOG } = process.env;

const telemetry =
  LEDGER_LOG === undefined ? createSilentTelemetry() : await createTelemetry("ledger", "debug", undefined);
const events =
  LEDGER_NATS_URL === undefined
    ? createInProcessTransport()
    : createNatsTransport({ url: new Secret(LEDGER_NATS_URL), service: "ledger", log: telemetry.log });
const service = createWebhookDispatcherService(
  {
    databaseUrl: new Secret(LEDGER_DATABASE_URL),
    databaseConnectionsMax: 8,
    keyring: parseKeyring(new Secret(LEDGER_KEYRING)),
    egress: { allow: parseEgressAllow("127.0.0.0/8") },
    timeoutMs: Number(LEDGER_TIMEOUT_MS),
    headerPrefix: "X-Service",
    concurrencyMax: 8,
    inFlightMax: 256,
    leaseMs: Number(LEDGER_LEASE_MS),
    retentionDays: 30,
  },
  { telemetry, events, ...(LEDGER_FAILPOINT === undefined ? {} : { onCheckpoint: failpoint(LEDGER_FAILPOINT) }) },
);

function failpoint(text: string): (at: Checkpoint) => void {
  const [place, count = "1"] = text.split(":");
  let left = Number(count);
  return (at) => {
    if (at !== place || --left > 0) return;
    process.kill(process.pid, "SIGKILL");
    // Blocks this process until the signal arrives.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}

process.on("message", (request: StoreRequest) => {
  const reply = (stored: boolean) => process.send?.({ requestId: request.requestId, stored } satisfies StoreReply);
  events.publish("audit", request.messages).then(
    () => reply(true),
    () => reply(false),
  );
});
process.on("disconnect", () => process.exit(0));

await service.start();
await events.start();
process.send?.({ requestId: 0, stored: true } satisfies StoreReply);
// Saved now, since most of these processes are killed.
flushCompileCache();
