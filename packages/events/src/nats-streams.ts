import { type ConsumerConfig, AckPolicy, DeliverPolicy, DiscardPolicy, JetStreamApiError } from "@nats-io/jetstream";
import { type JetStreamManager, RetentionPolicy, type StreamConfig, StorageType } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { natsBounds } from "./nats-bounds.ts";
import { type Consumer, type StreamName, streamNames } from "./transport.ts";

interface NatsStream {
  readonly name: string;
  /** Subjects of all its messages; each service publishes under its name, so that the broker can check it. */
  readonly subjects: string;
}

/** JetStream's name and subjects of each stream. */
export const natsStreams: Readonly<Record<StreamName, NatsStream>> = {
  audit: { name: "AUDIT", subjects: "gatehouse.audit.*" },
  gateway_log: { name: "GATEWAY_LOG", subjects: "gatehouse.gateway_log.*" },
};

/** Subject of a service's messages in a stream: the only one there that the broker permits it to publish to. */
export function subjectOf(stream: StreamName, service: string): string {
  return `gatehouse.${stream}.${service}`;
}

/** Core NATS subjects of reports, by stream and consumer. */
export const reportSubjects = { prefix: "gatehouse.stored.", all: "gatehouse.stored.*.*" } as const;

type Keeping = Pick<StreamConfig, "retention" | "discard" | "max_bytes" | "max_age">;

const dayMs = 86_400_000;

const keeping: Readonly<Record<StreamName, Keeping>> = {
  // The outbox keeps every event until all consumers have it, so an absent consumer must not block the others: messages beyond
  // the bound are dropped here, and published again later.
  audit: {
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_bytes: 256 * 1024 * 1024,
    max_age: nanos(7 * dayMs),
  },
  // The only copy of these entries, removed by one consumer; during its long absence publishers keep theirs.
  gateway_log: {
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_bytes: 512 * 1024 * 1024,
    max_age: 0,
  },
};

/** Creates missing streams, and sets their subjects; an operator's other settings stay. */
export async function ensureStreams(manager: JetStreamManager, replicas: number): Promise<void> {
  for (const stream of streamNames) {
    const { name, subjects } = natsStreams[stream];
    const settings = { name, subjects: [subjects], storage: StorageType.File, num_replicas: replicas };
    await unlessThere(
      async () => {
        const { config } = await manager.streams.info(name);
        if (!config.subjects.includes(subjects)) await manager.streams.update(name, { subjects: [subjects] });
      },
      async () => await manager.streams.add({ ...settings, ...keeping[stream] }),
    );
  }
}

/** For a service that may not create streams. @throws Error that names the missing stream. */
export async function requireStreams(manager: JetStreamManager): Promise<void> {
  for (const stream of streamNames) {
    const { name } = natsStreams[stream];
    await unlessThere(
      async () => await manager.streams.info(name),
      async () =>
        await Promise.reject(new Error(`the stream ${name} does not exist yet; the logbook service creates it`)),
    );
  }
}

/** Creates the durable consumer; an existing one keeps its settings. @throws the broker's error where it refuses. */
export async function ensureConsumer(
  manager: JetStreamManager,
  { stream, name, batchSizeMax }: Consumer,
): Promise<void> {
  const streamName = natsStreams[stream].name;
  const config: Partial<ConsumerConfig> & { readonly durable_name: string } = {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(natsBounds.ackWaitMs),
    deliver_policy: DeliverPolicy.All,
    max_deliver: -1,
    max_ack_pending: batchSizeMax * natsBounds.batchesAheadMax,
  };
  await unlessThere(
    async () => await manager.consumers.info(streamName, name),
    async () => await manager.consumers.add(streamName, config),
  );
}

/** JetStream's error codes of a stream or consumer that another process has created meanwhile. */
const alreadyThere: ReadonlySet<number> = new Set([10058, 10013, 10148]);
const notThereStatus = 404;

async function unlessThere(look: () => Promise<unknown>, make: () => Promise<unknown>): Promise<void> {
  try {
    await look();
    return;
  } catch (err) {
    if (!(err instanceof JetStreamApiError) || err.status !== notThereStatus) throw err;
  }
  try {
    await make();
  } catch (err) {
    if (!(err instanceof JetStreamApiError) || !alreadyThere.has(err.code)) throw err;
  }
}
