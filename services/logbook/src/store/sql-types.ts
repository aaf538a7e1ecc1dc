import type { LogColumnType } from "@gatehouse/gateway-log";

/** Type of a column's values in Postgres. */
export const sqlTypes = {
  moment: "timestamptz",
  text: "text",
  requestId: "text",
  uuid: "uuid",
  integer: "int",
  duration: "int",
  micros: "bigint",
  // JSON as it came: an array of texts keeps it without reading it.
  details: "text",
} as const satisfies Readonly<Record<LogColumnType, string>>;
