import { logColumnList } from "@gatehouse/gateway-log";

/** One record in OTLP's JSON form (OpenTelemetry protocol, "JSON Protobuf Encoding"). */
interface LogRecord {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly eventName: string;
  readonly body: Value;
  readonly traceId?: string;
  readonly attributes: readonly Attribute[];
}

type Value = { readonly stringValue: string } | { readonly intValue: string };

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** Attributes of a record, by the entry's fields. */
const attributes = logColumnList.flatMap(({ name, attribute }) =>
  attribute === undefined ? [] : [{ name, attribute }],
);

const traceIdForm = /^[0-9a-f]{32}$/;

/** Severities of OpenTelemetry's data model, by the status from which on they hold. */
const severities = [
  { from: 500, severityNumber: 17, severityText: "ERROR" },
  { from: 400, severityNumber: 13, severityText: "WARN" },
] as const;
const info = { severityNumber: 9, severityText: "INFO" } as const;

/**
 * The entries of messages as one OTLP export request. Entries are those that the gateway's services have written; a message that is
 * no list of objects has none.
 * @param since milliseconds since 1970: older entries are not kept anywhere, and left out
 */
export function toExportRequest(bodies: readonly string[], since: number): object | undefined {
  const logRecords = bodies.flatMap(parseEntries).flatMap((entry) => toRecord(entry, since));
  if (logRecords.length === 0) return undefined;
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "gatehouse" } }] };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: "gatehouse.gateway_log" }, logRecords }] }] };
}

/** The number of a message's entries. */
export function countEntries(body: string): number {
  return parseEntries(body).length;
}

type Entry = Readonly<Record<string, unknown>>;

function parseEntries(body: string): Entry[] {
  try {
    const entries: unknown = JSON.parse(body);
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch (err) {
    if (err instanceof SyntaxError) return [];
    throw err;
  }
}

function isEntry(entry: unknown): entry is Entry {
  return typeof entry === "object" && entry !== null && !Array.isArray(entry);
}

function toRecord(entry: Entry, since: number): LogRecord[] {
  const { at_ms: atMs, status, error, trace_id: traceId, details } = entry;
  if (typeof atMs !== "number" || !Number.isFinite(atMs) || atMs < since) return [];
  const { severityNumber, severityText } = severities.find(({ from }) => Number(status) >= from) ?? info;
  const named = attributes.map(({ name, attribute }) => ({ key: attribute, given: entry[name] }));
  const ofDetails = isEntry(details) ? Object.entries(details) : [];
  const all = [...named, ...ofDetails.map(([key, given]) => ({ key: `gatehouse.details.${key}`, given }))];
  return [
    {
      // Milliseconds with six zeros: as a number the nanoseconds would not be exact.
      timeUnixNano: `${Math.round(atMs)}000000`,
      severityNumber,
      severityText,
      eventName: "gatehouse.request",
      body: { stringValue: typeof error === "string" ? error : `${String(entry["route"])} ${String(status)}` },
      ...(typeof traceId === "string" && traceIdForm.test(traceId) ? { traceId } : {}),
      attributes: all.flatMap(({ key, given }) => {
        const value = toValue(given);
        return value === undefined ? [] : [{ key, value }];
      }),
    },
  ];
}

function toValue(given: unknown): Value | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === "number" && Number.isInteger(given)) return { intValue: String(given) };
  return { stringValue: typeof given === "string" ? given : JSON.stringify(given) };
}
