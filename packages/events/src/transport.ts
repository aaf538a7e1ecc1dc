/** Streams of messages without a reply: recorded facts, and outcomes of requests. */
export const streamNames = ["audit", "gateway_log"] as const;
/** Name of a stream; `audit` carries audit events, `gateway_log` batches of log entries. */
export type StreamName = (typeof streamNames)[number];

/** A message in transit: JSON under an id. */
export interface StreamMessage {
  /** Unique in its stream; identifies repeated deliveries of a message. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
  /**
   * Number of earlier publications, 0 where absent. A broker drops duplicates of one attempt, and accepts another attempt. Not
   * visible to consumers.
   */
  readonly attempt?: number;
  /** Service that signed it, for consumers; absent where the transport does not sign. */
  readonly publisher?: string;
}

/** A durable reader of a stream, shared by all replicas of its service. */
export interface Consumer {
  readonly stream: StreamName;
  /** Shared by a service's replicas: each message reaches one of them. */
  readonly name: string;
  /** Most messages in one call of `store`. */
  readonly batchSizeMax: number;
  /** Whether messages wait, after a lost connection, for older ones that were delivered to it. */
  readonly keepsOrder?: boolean;
  /** Stores all messages or none; repeated messages are stored once. After a rejection all are redelivered. */
  store(messages: readonly StreamMessage[]): Promise<void>;
}

/** Ids that a consumer has stored, reported to the publisher. */
export interface StoredMessages {
  readonly stream: StreamName;
  readonly consumer: string;
  readonly ids: readonly string[];
}

/** Called once for each stored batch; must not throw. */
export type StoredListener = (stored: StoredMessages) => void;

/** Carries messages from publishing services to storing ones. */
export interface EventTransport {
  /** Registers a consumer; call before `start`. */
  consume(consumer: Consumer): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Resolves when each message is safe: a broker has it, or each consumer has stored it. Some messages may have been delivered
   * even if it rejects; publishing them again is harmless.
   * @throws GatewayError `unavailable` while publishing is blocked.
   */
  publish(stream: StreamName, messages: readonly StreamMessage[]): Promise<void>;
  /**
   * Subscribes to reports of stored messages, by consumers in any process. Reports may be lost or repeated; unreported messages
   * should be published again.
   * @returns a function that ends the subscription.
   */
  onStored(listener: StoredListener): () => void;
  isConnected(): boolean;
  /** Present problems of sending or receiving, for people. Queries the broker; returns within {@link probeTimeoutMs}. */
  problems(): Promise<readonly string[]>;
}

/** Longest query of the transport's state, milliseconds. */
export const probeTimeoutMs = 800;
