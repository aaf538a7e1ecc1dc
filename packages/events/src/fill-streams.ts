import { DiscardPolicy, type JetStreamManager, jetstreamManager, type StreamConfig } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { natsStreams } from "./nats-streams.ts";

/**
 * Makes the broker's streams refuse new messages and keep the present ones, like a full disk.
 * @returns a function that restores the room
 */
export async function fillStreams(url: string): Promise<() => Promise<void>> {
  const room = new Map<string, Partial<StreamConfig>>();
  await withStreams(url, async (manager, name) => {
    const { config, state } = await manager.streams.info(name);
    room.set(name, { discard: config.discard, max_bytes: config.max_bytes });
    await manager.streams.update(name, { discard: DiscardPolicy.New, max_bytes: Math.max(1, state.bytes) });
  });
  return async () =>
    await withStreams(url, async (manager, name) => void (await manager.streams.update(name, room.get(name) ?? {})));
}

async function withStreams(
  url: string,
  act: (manager: JetStreamManager, name: string) => Promise<void>,
): Promise<void> {
  const connection = await connect({ servers: url });
  try {
    const manager = await jetstreamManager(connection);
    for (const { name } of Object.values(natsStreams)) await act(manager, name);
  } finally {
    await connection.close();
  }
}
