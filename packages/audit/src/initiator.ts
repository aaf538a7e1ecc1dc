import { Metadata } from "nice-grpc-common";
import type { ProjectReference } from "./audit-event.ts";

/** Person or token that asks for a change; the Control Plane sends it to the service that makes the change. */
export interface AuditInitiator {
  readonly actor: string;
  readonly ipAddress: string;
  readonly project: ProjectReference | null;
  /** W3C trace context; empty without tracing. */
  readonly traceparent: string;
}

/** Key of earlier releases, with which a service may run side by side during an upgrade. */
const initiatorKey = "x-gatehouse-origin";

/** The gateway itself, for scheduled work. */
export const systemInitiator: AuditInitiator = { actor: "system", ipAddress: "", project: null, traceparent: "" };

/** Metadata of a local or remote gRPC call. Encoded, since headers are ASCII and names are not. */
export function initiatorMetadata(initiator: AuditInitiator): Metadata {
  return Metadata().set(initiatorKey, Buffer.from(JSON.stringify(initiator)).toString("base64url"));
}

/** The initiator of a call of an administrator's operation; the gateway itself where the caller sent none. */
export function readInitiator(metadata: Metadata): AuditInitiator {
  const text = metadata.get(initiatorKey);
  if (text === undefined) return systemInitiator;
  // Written by `initiatorMetadata` of an authenticated service.
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as AuditInitiator;
}
