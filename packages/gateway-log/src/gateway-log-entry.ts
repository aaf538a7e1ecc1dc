/**
 * Details that only some routes have, such as `{ price_unknown: true }`. Never a prompt, an answer, a header or a secret.
 */
export type LogDetails = Readonly<Record<string, string | number | boolean | null>>;

/** The outcome of one request, or of one call of the pipeline where a request makes several. Absent means unknown or not applicable. */
export interface GatewayLogEntry {
  /** When the request came in, milliseconds since 1970. */
  readonly atMs: number;
  readonly requestId: string;
  /** 32 hex digits. */
  readonly traceId?: string | undefined;
  /** A uuid. */
  readonly projectUuid?: string | undefined;
  /** A uuid. */
  readonly endpointUuid?: string | undefined;
  readonly tokenId?: number | undefined;
  /** The person behind the call, as the application names them. */
  readonly user?: string | undefined;
  /** The id of a route in the router's table, such as `chat_direct`; `none` where no route has the path. */
  readonly route: string;
  /** The HTTP status that was sent; 499 where the client left first. */
  readonly status: number;
  /** The message that the caller was sent. */
  readonly error?: string | undefined;
  readonly durationMs: number;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** Calls to a provider or upstream that were made for it. */
  readonly attempts?: number | undefined;
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  /** Micro-dollars. */
  readonly costMicros?: number | undefined;
  readonly details?: LogDetails | undefined;
}

/** Log of the outcomes of the requests that a service has answered. */
export interface GatewayLog {
  /** Returns at once and never throws. The entry is on its way within {@link gatewayLogBounds}'s flush interval. */
  append(entry: GatewayLogEntry): void;
  /** News for operators, shown by readiness. */
  notices(): readonly string[];
  start(): Promise<void>;
  /** Publishes what is left, within a bound; what cannot be published waits on disk for the next start. */
  stop(): Promise<void>;
}

/** For a process that has no way to publish: outcomes are not recorded. */
export const noGatewayLog: GatewayLog = {
  append: () => {},
  notices: () => [],
  start: async () => {},
  stop: async () => {},
};
