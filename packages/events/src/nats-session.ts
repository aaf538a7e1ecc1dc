import type { ServiceTrust } from "@gatehouse/trust";
import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isStreamKeeper } from "./broker-permissions.ts";
import { natsBounds } from "./nats-bounds.ts";
import { ensureStreams, requireStreams } from "./nats-streams.ts";

/** One connection, with the streams there. It ends with the connection; the next one is another session. */
export interface NatsSession {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Name of this process on the broker. */
  readonly service: string;
  /** Absent: nothing is signed, and every client of the broker is trusted. */
  readonly trust: ServiceTrust | undefined;
}

/** @throws when the broker has no JetStream, cannot make the streams, or waits for the service that makes them. */
export async function openSession(
  connection: NatsConnection,
  service: string,
  trust: ServiceTrust | undefined,
  replicas: number,
): Promise<NatsSession> {
  const timeout = natsBounds.answerTimeoutMs;
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout });
  // The broker's users may not make any but the keeper's, and its operator would see a refusal for each attempt.
  if (trust === undefined || isStreamKeeper(service)) await ensureStreams(manager, replicas);
  else await requireStreams(manager);
  return { connection, service, trust, manager, jetstream: jetstream(connection, { timeout }) };
}
