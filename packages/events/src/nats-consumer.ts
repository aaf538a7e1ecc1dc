import { backoff, pause } from "@gatehouse/async";
import type { Logger } from "@gatehouse/telemetry";
import type { ConsumerMessages, JsMsg, Consumer as NatsConsumer } from "@nats-io/jetstream";
import { natsBounds } from "./nats-bounds.ts";
import { OlderFirst } from "./nats-older-first.ts";
import { publishReport } from "./nats-reports.ts";
import type { NatsSession } from "./nats-session.ts";
import { idHeader, signerOf } from "./nats-signature.ts";
import { ensureConsumer, natsStreams } from "./nats-streams.ts";
import type { Consumer, StreamMessage, StreamName } from "./transport.ts";

interface ConsumerRun {
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly onAttached: () => void;
}

/**
 * Feeds one consumer over one connection, until the connection ends or `stopping` fires; the current batch is finished. Messages
 * that were delivered and not stored are redelivered over the next connection.
 * @throws when the broker lacks the stream or the consumer.
 */
export async function runNatsConsumer(consumer: Consumer, session: NatsSession, run: ConsumerRun): Promise<void> {
  await ensureConsumer(session.manager, consumer);
  const source = await session.jetstream.consumers.get(natsStreams[consumer.stream].name, consumer.name);
  while ((await consumeFrom(source, { consumer, session, run })) === "silent" && !run.stopping.aborted);
}

interface Consumption {
  readonly consumer: Consumer;
  readonly session: NatsSession;
  readonly run: ConsumerRun;
}

/**
 * Consumes until the delivery ends, or, for a consumer that keeps the order, until the broker is silent: the server that fed it may
 * have ended with messages in flight, which newer ones would overtake.
 */
async function consumeFrom(source: NatsConsumer, { consumer, session, run }: Consumption): Promise<"ended" | "silent"> {
  const { log, stopping, onAttached } = run;
  const olderFirst = consumer.keepsOrder === true ? await OlderFirst.of(source) : undefined;
  const waiting: JsMsg[] = [];
  let storing: Promise<void> | undefined;
  let failure: unknown;
  const storeAll = async (): Promise<void> => {
    while (waiting.length > 0 && !stopping.aborted) {
      const batch = waiting.splice(0, consumer.batchSizeMax);
      await storeBatch(consumer, batch, { session, log, stopping, waiting });
    }
  };
  const fail = (cause: unknown) => {
    failure = cause;
    void delivery.close();
  };
  const store = (messages: readonly JsMsg[]) => {
    waiting.push(...messages);
    // At the end of the turn, so that messages which arrive together are stored together.
    storing ??= Promise.resolve()
      .then(storeAll)
      .catch(fail)
      .finally(() => (storing = undefined));
  };
  const delivery = await source.consume({
    max_messages: consumer.batchSizeMax * natsBounds.batchesAheadMax,
    idle_heartbeat: natsBounds.heartbeatMs,
    abort_on_missing_resource: true,
    callback: (message) => (olderFirst?.takes(message) === true ? undefined : store([message])),
  });
  onAttached();
  const close = () => void delivery.close();
  let isSilent = false;
  if (olderFirst !== undefined) void closeWhenSilent(delivery, () => (isSilent = true));
  const ended = new AbortController();
  olderFirst?.release(AbortSignal.any([stopping, ended.signal]), store).catch(fail);
  stopping.addEventListener("abort", close, { once: true });
  if (stopping.aborted) close();
  const reason = await delivery.closed();
  ended.abort();
  stopping.removeEventListener("abort", close);
  await storing;
  if (failure !== undefined) throw failure;
  if (reason instanceof Error) throw reason;
  return isSilent ? "silent" : "ended";
}

/** Closes the delivery after missed heartbeats. */
async function closeWhenSilent(delivery: ConsumerMessages, onSilent: () => void): Promise<void> {
  for await (const { type } of delivery.status()) {
    if (type !== "heartbeats_missed") continue;
    onSilent();
    void delivery.close();
  }
}

interface StoreOptions {
  readonly session: NatsSession;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly waiting: readonly JsMsg[];
}

/** Retries until the batch is stored; meanwhile tells the broker that the messages are in progress. */
async function storeBatch(
  consumer: Consumer,
  batch: readonly JsMsg[],
  { session, log, stopping, waiting }: StoreOptions,
): Promise<void> {
  const { stream, name } = consumer;
  const messages = batch.flatMap((message) => readMessage(session, stream, message));
  if (messages.length < batch.length) {
    const refused = batch.length - messages.length;
    log.error(
      { stream, consumer: name, refused },
      "Messages on the broker are not signed by a service; they are not stored.",
    );
  }
  for (let failures = 0; ;) {
    try {
      if (messages.length > 0) await consumer.store(messages);
      break;
    } catch (err) {
      failures += 1;
      if (failures === 1) log.warn({ err, stream, consumer: name }, "Messages could not be stored; trying again.");
      await pause(backoff(failures), stopping);
      if (stopping.aborted || session.connection.isClosed()) return;
      for (const message of [...batch, ...waiting]) message.working();
    }
  }
  if (session.connection.isClosed()) return;
  for (const message of batch) message.ack();
  const ids = messages.map(({ id }) => id);
  if (ids.length > 0) publishReport(session, { stream, consumer: name, ids });
}

/** Verifies a message; empty for one without a service's signature. */
function readMessage({ trust }: NatsSession, stream: StreamName, message: JsMsg): StreamMessage[] {
  const { subject, headers } = message;
  const read = { id: headers?.get(idHeader) ?? "", body: message.string() };
  if (trust === undefined) return [read];
  const publisher = signerOf(trust, stream, { subject, headers, body: read.body });
  return publisher === undefined ? [] : [{ ...read, publisher }];
}
