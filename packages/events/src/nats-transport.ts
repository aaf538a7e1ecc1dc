import { backoff, pause, whenAborted } from "@gatehouse/async";
import type { Logger } from "@gatehouse/telemetry";
import type { ServiceTrust } from "@gatehouse/trust";
import type { NatsConnection } from "@nats-io/transport-node";
import { natsBounds } from "./nats-bounds.ts";
import { connectToNats, flushWithin, type NatsAddress } from "./nats-connect.ts";
import { runNatsConsumer } from "./nats-consumer.ts";
import { publishToNats, unavailable } from "./nats-publish.ts";
import { subscribeReports } from "./nats-reports.ts";
import { type NatsSession, openSession } from "./nats-session.ts";
import {
  type Consumer,
  type EventTransport,
  probeTimeoutMs,
  type StoredListener,
  type StreamMessage,
  type StreamName,
} from "./transport.ts";

/** Options of {@link createNatsTransport}: the connection, the service's name in subjects, and its signing keys. */
export interface NatsTransportOptions extends NatsAddress {
  /** Name of the service for the broker's operator. */
  readonly service: string;
  /** Copies of each stream in a cluster of brokers, 1 to 5. */
  readonly streamReplicas?: number;
  /** Signs published messages, and lists trusted publishers; absent: every client of the broker is trusted. */
  readonly trust?: ServiceTrust | undefined;
  readonly log: Logger;
}

/**
 * Transport for services in separate processes: NATS JetStream, server 2.9.10 or newer. It starts without the broker, and tries
 * to connect forever. Messages of a batch that failed and is published again may change their order.
 */
export function createNatsTransport(options: NatsTransportOptions): EventTransport {
  return new NatsTransport(options);
}

class NatsTransport implements EventTransport {
  readonly #options: NatsTransportOptions;
  readonly #consumers: Consumer[] = [];
  readonly #listeners = new Set<StoredListener>();
  readonly #stopping = new AbortController();
  #session: NatsSession | undefined;
  #loop: Promise<void> | undefined;
  #failures = 0;
  /** Logged reasons of this outage. */
  readonly #logged = new Set<string>();
  #lastFailure = "not tried yet";
  /** Consumers that receive messages in the present session. */
  readonly #attached = new Set<Consumer>();
  /** Pending probe of the broker over one connection; probes do not pile up at a silent one. */
  #probe: { readonly connection: NatsConnection; readonly answer: Promise<unknown> } | undefined;

  constructor(options: NatsTransportOptions) {
    this.#options = options;
  }

  consume(consumer: Consumer): void {
    this.#consumers.push(consumer);
  }

  async start(): Promise<void> {
    this.#loop ??= this.#run();
    return await Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const bound = new AbortController();
    // A consumer that does not end its batch must not keep the process alive.
    await Promise.race([this.#loop, pause(natsBounds.stopTimeoutMs, bound.signal)]);
    bound.abort();
    await this.#session?.connection.close();
  }

  async publish(stream: StreamName, messages: readonly StreamMessage[]): Promise<void> {
    if (this.#session === undefined) throw unavailable();
    await publishToNats(this.#session, stream, messages);
  }

  onStored(listener: StoredListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  isConnected(): boolean {
    return this.#session !== undefined;
  }

  async problems(): Promise<readonly string[]> {
    const session = this.#session;
    if (session === undefined) return [`NATS is not connected: ${this.#lastFailure}`];
    if (!(await this.#isAnswering(session))) return [`NATS does not answer within ${probeTimeoutMs} ms`];
    const idle = this.#consumers.filter((consumer) => !this.#attached.has(consumer));
    return idle.map(({ name, stream }) => `the consumer ${name} of the stream ${stream} gets no messages from NATS`);
  }

  /** A lost connection never answers an earlier probe, so a later connection is probed separately. */
  async #isAnswering({ connection }: NatsSession): Promise<boolean> {
    if (this.#probe?.connection !== connection) this.#probe = undefined;
    this.#probe ??= { connection, answer: this.#ask(connection) };
    const bound = new AbortController();
    const silence = pause(probeTimeoutMs, bound.signal).then(() => "silent" as const);
    const outcome = await Promise.race([this.#probe.answer, silence]);
    bound.abort();
    return outcome !== "silent" && !connection.isClosed();
  }

  async #ask(connection: NatsConnection): Promise<void> {
    await connection.rtt().catch(() => {});
    if (this.#probe?.connection === connection) this.#probe = undefined;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let connection: NatsConnection | undefined;
      try {
        const { service, trust, streamReplicas: replicas = 1 } = this.#options;
        connection = await connectToNats(this.#options, service);
        await this.#serve(await openSession(connection, service, trust, replicas));
      } catch (cause) {
        this.#recordFailure(cause);
      }
      this.#session = undefined;
      await connection?.close().catch((cause: unknown) => this.#recordFailure(cause));
      const { reconnectMinMs, reconnectMaxMs } = natsBounds;
      await pause(backoff(Math.max(this.#failures, 1), reconnectMinMs, reconnectMaxMs), signal);
    }
  }

  /**
   * Runs until the connection is lost, a consumer has lost its stream, or the transport stops, and all batches have ended. Every wait
   * for the broker has a bound: one that is frozen never answers, and the library settles nothing that a lost connection leaves open.
   */
  async #serve(session: NatsSession): Promise<void> {
    const { log } = this.#options;
    const { connection } = session;
    const ended = new AbortController();
    const stopping = AbortSignal.any([this.#stopping.signal, ended.signal]);
    // Before the consumers, so that their end by a lost connection is not its reason.
    void connection.closed().then(() => ended.abort(new Error("the connection was lost")));
    subscribeReports(session, (report) => {
      for (const listener of this.#listeners) listener(report);
    });
    this.#session = session;
    this.#recordSuccess();
    const consuming = this.#consumers.map(async (consumer) => {
      try {
        await runNatsConsumer(consumer, session, { log, stopping, onAttached: () => this.#attached.add(consumer) });
        ended.abort(new Error(`the delivery to the consumer ${consumer.name} has ended`));
      } catch (cause) {
        ended.abort(cause);
      } finally {
        this.#attached.delete(consumer);
      }
    });
    await whenAborted(stopping);
    this.#session = undefined;
    if (ended.signal.aborted) this.#recordFailure(ended.signal.reason);
    ended.abort();
    await Promise.all(consuming);
    // The last acknowledgements must be sent before the connection closes.
    await flushWithin(connection, natsBounds.stopTimeoutMs);
  }

  #recordSuccess(): void {
    this.#failures = 0;
    this.#logged.clear();
    this.#options.log.info("Connected to NATS.");
  }

  /** Logs each reason of an outage once, so that the next one is visible after the first is fixed. */
  #recordFailure(cause: unknown): void {
    this.#failures += 1;
    this.#lastFailure = cause instanceof Error ? cause.message : "unknown";
    if (this.#logged.has(this.#lastFailure) || this.#logged.size >= natsBounds.reasonsLoggedMax) return;
    this.#logged.add(this.#lastFailure);
    this.#options.log.warn({ err: cause }, "NATS cannot be used; the connection is retried until it succeeds.");
  }
}
