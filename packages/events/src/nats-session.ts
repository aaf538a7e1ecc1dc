import type { ServiceTrust } from "@gatehouse/trust";
import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isStreamKeeper } from "./broker-permissions.ts";
import { natsBounds } from "./nats-bounds.ts";
import { ensureStreams, requireStreams } from "./nats-streams.ts";

/** One connection with existing streams; each connection is a new session. */
export interface NatsSession {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly service: string;
  /** Absent: nothing is signed, and every client of the broker is trusted. */
  readonly trust: ServiceTrust | undefined;
}

/** @throws when the broker has no JetStream, cannot create the streams, or another service has yet to create them. */
export async function openSession(
  connection: NatsConnection,
  service: string,
  trust: ServiceTrust | undefined,
  replicas: number,
): Promise<NatsSession> {
  const timeout = natsBounds.answerTimeoutMs;
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout });
  // Only the keeper may create streams, and each refused attempt would be logged by the broker.
  if (trust === undefined || isStreamKeeper(service)) await ensureStreams(manager, replicas);
  else await requireStreams(manager);
  return { connection, service, trust, manager, jetstream: jetstream(connection, { timeout }) };
}
