import { Metadata } from "nice-grpc-common";
import type { ProjectReference } from "./audit-event.ts";

/** Person or token that asks for a change; the control plane sends it to the service that makes the change. */
export interface AuditInitiator {
  /** Actor of the events that record the change. */
  readonly actor: string;
  readonly ipAddress: string;
  /** The project that the change is about, where there is one. */
  readonly project: ProjectReference | null;
  /** W3C trace context; empty where nothing is traced. */
  readonly traceparent: string;
}

/** Named as in earlier releases, with which a service may run side by side during an upgrade. */
const initiatorKey = "x-gatehouse-origin";

/** The gateway itself: its own scheduled work. */
export const systemInitiator: AuditInitiator = { actor: "system", ipAddress: "", project: null, traceparent: "" };

/** Travels with a gRPC call, in this process or to another. Headers are ASCII, names are not. */
export function initiatorMetadata(initiator: AuditInitiator): Metadata {
  return Metadata().set(initiatorKey, Buffer.from(JSON.stringify(initiator)).toString("base64url"));
}

/** The initiator of a call of an administrator's operation; the gateway itself where the caller sent none. */
export function readInitiator(metadata: Metadata): AuditInitiator {
  const text = metadata.get(initiatorKey);
  if (text === undefined) return systemInitiator;
  // Written by `initiatorMetadata` of a peer that has proved that it is one of ours.
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as AuditInitiator;
}
