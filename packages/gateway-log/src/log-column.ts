/** Details of some routes, such as `{ price_unknown: true }`. Never a prompt, an answer, a header or a secret. */
export type LogDetails = Readonly<Record<string, string | number | boolean | null>>;

/** Value of each type of column, as a service gives it. */
export interface LogValues {
  /** Milliseconds since 1970. */
  readonly moment: number;
  readonly text: string;
  /** A text that the logbook indexes. */
  readonly requestId: string;
  readonly uuid: string;
  /** An integer of 32 bits. */
  readonly integer: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Micro-dollars. */
  readonly micros: number;
  readonly details: LogDetails;
}

/** Decides how a column is written, checked, stored and shown. */
export type LogColumnType = keyof LogValues;

/** One column of the gateway log. */
export interface LogColumn {
  /** In a message, and in the logbook's view `gateway_log_entries`. */
  readonly name: string;
  readonly type: LogColumnType;
  /** Whether every service gives a value. */
  readonly isRequired?: true;
  /** Value of entries whose service gives none; without it they have null. */
  readonly fallback?: number;
  /** Array of a block with a value for each kind of its entries: what many of them have in common. */
  readonly byKind?: string;
  /** Array of a block with a value for each of its entries. */
  readonly byEntry?: string;
  /** Name of the keys by which the logbook finds blocks with a value; only columns with one are searched for a value. */
  readonly key?: string;
  /** Name in the reply of `svc_query_gateway_log`; that of the column when absent. */
  readonly shownAs?: string;
  /** In the JSON Schema of that reply. */
  readonly description: string;
  /** Attribute of an exported record: OpenTelemetry's name where it has one. Columns without one have another place in a record. */
  readonly attribute?: string;
}
