/** Details of some routes, such as `{ price_unknown: true }`. Never a prompt, an answer, a header or a secret. */
export type LogDetails = Readonly<Record<string, string | number | boolean | null>>;

/** Outcome of one request, or of one call of the pipeline where a request makes several. Absent means unknown or not applicable. */
export interface GatewayLogEntry {
  /** Arrival of the request, milliseconds since 1970. */
  readonly atMs: number;
  readonly requestId: string;
  /** 32 hex digits. */
  readonly traceId?: string | undefined;
  /** A uuid. */
  readonly projectUuid?: string | undefined;
  /** A uuid. */
  readonly endpointUuid?: string | undefined;
  readonly tokenId?: number | undefined;
  /** User named by the application. */
  readonly user?: string | undefined;
  /** Id of a route in the router's table, such as `chat_direct`; `none` for an unknown path. */
  readonly route: string;
  /** HTTP status sent; 499 where the client disconnected first. */
  readonly status: number;
  /** Message sent to the caller. */
  readonly error?: string | undefined;
  readonly durationMs: number;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** Calls to a provider or upstream made for it. */
  readonly attempts?: number | undefined;
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  /** Micro-dollars. */
  readonly costMicros?: number | undefined;
  readonly details?: LogDetails | undefined;
}

export interface GatewayLog {
  /** Returns at once and never throws. The entry is published within {@link gatewayLogBounds}'s flush interval. */
  append(entry: GatewayLogEntry): void;
  /** News for operators, shown by readiness. */
  notices(): readonly string[];
  start(): Promise<void>;
  /** Publishes the rest, within a bound; unpublished entries wait on disk for the next start. */
  stop(): Promise<void>;
}

/** For a process that cannot publish: outcomes are not recorded. */
export const noGatewayLog: GatewayLog = {
  append: () => {},
  notices: () => [],
  start: async () => {},
  stop: async () => {},
};
