/** Streams of messages that need no answer: facts that are kept, and outcomes of requests. */
export const streamNames = ["audit", "gateway_log"] as const;
/** A stream of events; the list is closed. */
export type StreamName = (typeof streamNames)[number];

/** An event as it travels: opaque bytes under an id. */
export interface StreamMessage {
  /** Unique in its stream. A message may come more than once; its id says that it is the same. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
  /**
   * Number of earlier publications, 0 where absent. Within one attempt a broker may drop a duplicate; with another attempt it
   * takes the message again. Consumers do not see it.
   */
  readonly attempt?: number;
  /** The service that has signed it, as consumers see it; absent where the transport signs nothing. */
  readonly publisher?: string;
}

/** A durable reader of a stream, for all replicas of its service. */
export interface Consumer {
  readonly stream: StreamName;
  /** Shared by the replicas of one service: each message reaches one of them. */
  readonly name: string;
  /** Messages handed to one call of `store`, at most. */
  readonly batchSizeMax: number;
  /** Whether the order matters so much that messages wait, after a lost connection, for older ones that it was handed. */
  readonly keepsOrder?: boolean;
  /** Stores all the messages or none; a message that is stored already is not stored again. A rejection brings all of them again. */
  store(messages: readonly StreamMessage[]): Promise<void>;
}

/** Ids that a consumer has stored, reported to the service that had published them. */
export interface StoredMessages {
  readonly stream: StreamName;
  /** The consumer's name. */
  readonly consumer: string;
  readonly ids: readonly string[];
}

/** Called once for each batch that a consumer has stored; must not throw. */
export type StoredListener = (stored: StoredMessages) => void;

/** Carries messages from the services that publish to the services that store. */
export interface EventTransport {
  /** Takes a consumer on. To be called before `start`. */
  consume(consumer: Consumer): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Resolves when the transport answers for every message: a broker has it, or each consumer has stored it. It may have
   * passed some of them on even where it rejects; publishing them again is harmless.
   * @throws GatewayError `unavailable` while the way is blocked.
   */
  publish(stream: StreamName, messages: readonly StreamMessage[]): Promise<void>;
  /**
   * Tells which messages a consumer has stored, in whatever process. Reports may be lost or come twice; who needs to be
   * sure publishes again what was not reported. @returns a function that ends the subscription.
   */
  onStored(listener: StoredListener): () => void;
  isConnected(): boolean;
  /** Problems that keep messages from being sent or received now, for people. Asks the broker; returns within {@link probeTimeoutMs}. */
  problems(): Promise<readonly string[]>;
}

/** Longest time that a question about the transport's state may take, milliseconds. */
export const probeTimeoutMs = 800;
