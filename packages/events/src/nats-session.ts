import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { ServiceTrust } from "@gatehouse/trust";
import { natsBounds } from "./nats-bounds.ts";
import { ensureStreams } from "./nats-streams.ts";

/** One connection, with the streams made. It ends with the connection; the next one is another session. */
export interface NatsSession {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** How this process is known on the broker. */
  readonly service: string;
  /** Absent: nothing is signed, and every client of the broker is believed. */
  readonly trust: ServiceTrust | undefined;
}

/** @throws when the broker has no JetStream or cannot make the streams. */
export async function openSession(
  connection: NatsConnection,
  service: string,
  trust: ServiceTrust | undefined,
  replicas: number,
): Promise<NatsSession> {
  const timeout = natsBounds.answerTimeoutMs;
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout });
  await ensureStreams(manager, replicas);
  return { connection, service, trust, manager, jetstream: jetstream(connection, { timeout }) };
}
