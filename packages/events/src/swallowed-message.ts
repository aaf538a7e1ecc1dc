import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { natsStreams } from "./nats-streams.ts";
import type { StreamName } from "./transport.ts";

/** Removes a message from a stream, like a client with all permissions. @returns whether it existed. */
export async function swallowMessage(url: string, stream: StreamName, sequence: number): Promise<boolean> {
  const connection = await connect({ servers: url });
  try {
    const manager = await jetstreamManager(connection);
    const { name } = natsStreams[stream];
    const { state } = await manager.streams.info(name);
    return state.last_seq >= sequence && (await manager.streams.deleteMessage(name, sequence));
  } finally {
    await connection.close();
  }
}
