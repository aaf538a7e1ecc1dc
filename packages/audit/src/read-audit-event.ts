import type { AuditEvent } from "./audit-event.ts";

/** A complete event from a message; its key and severity may be those of a later version. */
export interface ReceivedEvent extends Omit<AuditEvent, "event" | "severity"> {
  readonly event: string;
  readonly severity: string;
}

const texts = ["id", "event", "severity", "actor", "occurredAt"] as const;
/** Empty where absent. */
const optionalTexts = ["target", "ipAddress", "traceparent"] as const;

/** Parses the body of a message of the stream `audit`. @returns an Error for a malformed body, which names the member and quotes nothing */
export function readAuditEvent(body: string): ReceivedEvent | Error {
  const given = parseObject(body);
  if (given === undefined) return new Error("An audit event is not an object.");
  const wrong =
    texts.find((name) => typeof given[name] !== "string") ??
    optionalTexts.find((name) => typeof (given[name] ?? "") !== "string");
  if (wrong !== undefined) return lacks(wrong);
  if (given["id"] === "") return lacks("id");
  const event = { target: "", ipAddress: "", traceparent: "", metadata: {}, ...withoutNull(given) } as ReceivedEvent;
  if (Number.isNaN(Date.parse(event.occurredAt))) return lacks("valid occurredAt");
  const { project } = given as Partial<AuditEvent>;
  // Null means the whole gateway; a missing member leaves the scope unknown.
  if (project === undefined) return lacks("project");
  if (project !== null && (typeof project !== "object" || typeof project.uuid !== "string"))
    return lacks("project.uuid");
  if (project !== null && typeof project.name !== "string") return lacks("project.name");
  return { ...event, project };
}

type Given = Readonly<Record<string, unknown>>;

function parseObject(body: string): Given | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Given) : undefined;
  } catch {
    return undefined;
  }
}

function withoutNull(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function lacks(member: string): Error {
  return new Error(`An audit event has no ${member}.`);
}
