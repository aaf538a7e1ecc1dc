import { type ConsumerConfig, AckPolicy, DeliverPolicy, DiscardPolicy, JetStreamApiError } from "@nats-io/jetstream";
import { type JetStreamManager, RetentionPolicy, type StreamConfig, StorageType } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { natsBounds } from "./nats-bounds.ts";
import { type Consumer, type StreamName, streamNames } from "./transport.ts";

interface NatsStream {
  readonly name: string;
  /** Subjects of all its messages; each service publishes under its own name, so that the broker can tell them apart. */
  readonly subjects: string;
}

/** JetStream's name and subjects for each of the product's streams. */
export const natsStreams: Readonly<Record<StreamName, NatsStream>> = {
  audit: { name: "AUDIT", subjects: "gatehouse.audit.*" },
  gateway_log: { name: "GATEWAY_LOG", subjects: "gatehouse.gateway_log.*" },
};

/** Subject that a service publishes to. */
export function subjectOf(stream: StreamName, service: string): string {
  return `gatehouse.${stream}.${service}`;
}

/** Core subjects of reports, by stream and consumer. */
export const reportSubjects = { prefix: "gatehouse.stored.", all: "gatehouse.stored.*.*" } as const;

type Keeping = Pick<StreamConfig, "retention" | "discard" | "max_bytes" | "max_age">;

const dayMs = 86_400_000;

const keeping: Readonly<Record<StreamName, Keeping>> = {
  // The outbox has every event until all consumers have it, so a consumer that is never there must not stop the others:
  // what is too much here is dropped, and published again later.
  audit: {
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_bytes: 256 * 1024 * 1024,
    max_age: nanos(7 * dayMs),
  },
  // The only copy of these entries. One consumer takes them off; while it is away for too long, publishers keep their own.
  gateway_log: {
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_bytes: 512 * 1024 * 1024,
    max_age: 0,
  },
};

/** Makes the streams that are not there, and fixes their subjects; what an operator has set otherwise stays. */
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

/** For a service that may not make them. @throws Error that says what is awaited, where a stream is not there. */
export async function requireStreams(manager: JetStreamManager): Promise<void> {
  for (const stream of streamNames) {
    const { name } = natsStreams[stream];
    await unlessThere(
      async () => await manager.streams.info(name),
      async () => await Promise.reject(new Error(`the stream ${name} is not there yet: the logbook makes it`)),
    );
  }
}

/** Makes the durable consumer that is not there. */
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

/** JetStream's own error code of a stream or consumer that another process has made meanwhile. */
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
