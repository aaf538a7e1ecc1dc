import { Metadata } from "nice-grpc-common";
import type { ProjectReference } from "./audit-event.ts";

/** Who asks for a change, as the control plane tells the service that makes it. */
export interface AuditOrigin {
  /** As in an event. */
  readonly actor: string;
  readonly ipAddress: string;
  /** The project that the change is about, where there is one. */
  readonly project: ProjectReference | null;
  /** W3C trace context; empty where nothing is traced. */
  readonly traceparent: string;
}

const originKey = "x-gatehouse-origin";

/** The gateway itself: what it does without being asked. */
export const systemOrigin: AuditOrigin = { actor: "system", ipAddress: "", project: null, traceparent: "" };

/** Travels with a gRPC call, in this process or to another. Headers are ASCII, names are not. */
export function originMetadata(origin: AuditOrigin): Metadata {
  return Metadata().set(originKey, Buffer.from(JSON.stringify(origin)).toString("base64url"));
}

/** The origin of a call of an administrator's operation; the gateway itself where the caller sent none. */
export function readOrigin(metadata: Metadata): AuditOrigin {
  const text = metadata.get(originKey);
  if (text === undefined) return systemOrigin;
  // Written by `originMetadata` of a peer that has proved that it is one of ours.
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as AuditOrigin;
}
