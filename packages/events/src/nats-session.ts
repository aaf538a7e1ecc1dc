import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { natsBounds } from "./nats-bounds.ts";
import { ensureStreams } from "./nats-streams.ts";

/** One connection, with the streams made. It ends with the connection; the next one is another session. */
export interface NatsSession {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** @throws when the broker has no JetStream or cannot make the streams. */
export async function openSession(connection: NatsConnection, replicas: number): Promise<NatsSession> {
  const timeout = natsBounds.answerTimeoutMs;
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout });
  await ensureStreams(manager, replicas);
  return { connection, manager, jetstream: jetstream(connection, { timeout }) };
}
