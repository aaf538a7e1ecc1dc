import {
  type AuditInitiator,
  type BlockedCall,
  guardrailBlocked,
  listLengthMax,
  type NewAuditEvent,
  type ProjectReference,
} from "@gatehouse/audit";
import { excerpt } from "@gatehouse/json-rpc";
import type { Upstream } from "./domain/upstream.ts";

type UpstreamReference = Pick<Upstream, "id" | "prefix">;

/** Event `upstream.created`, whose target is the prefix. Contains neither URL nor token. */
export function upstreamCreated(initiator: AuditInitiator, upstream: UpstreamReference): NewAuditEvent {
  return { ...asked(initiator, upstream), event: "upstream.created" };
}

/** @param changed names of the changed arguments */
export function upstreamUpdated(
  initiator: AuditInitiator,
  upstream: UpstreamReference,
  changed: readonly string[],
): NewAuditEvent {
  const base = asked(initiator, upstream);
  return { ...base, event: "upstream.updated", metadata: { ...base.metadata, changed } };
}

/** Event `upstream.deleted`, whose target is the prefix; not raised for the upstreams of a deleted project. */
export function upstreamDeleted(initiator: AuditInitiator, upstream: UpstreamReference): NewAuditEvent {
  return { ...asked(initiator, upstream), event: "upstream.deleted" };
}

/** Names of tools, in the form of the event catalogue. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** A blocked call of a tool, or its blocked result. @param name the tool, as the caller named it */
export function toolBlocked(call: BlockedCall, name: string): NewAuditEvent {
  const tool = excerpt(name, toolLengthMax);
  return guardrailBlocked(call, { target: tool, metadata: { tool } });
}

const toolLengthMax = 300;

/** Caused by the upstream, without a request. Lists are cut at the catalogue's bound; their counts are of all names. */
export function upstreamToolsChanged(
  project: ProjectReference | null,
  { id, prefix }: UpstreamReference,
  changes: ToolChanges,
): NewAuditEvent {
  return {
    event: "upstream.tools_changed",
    actor: "system",
    project,
    target: prefix,
    metadata: {
      upstream_id: id,
      prefix,
      added: changes.added.slice(0, listLengthMax),
      removed: changes.removed.slice(0, listLengthMax),
      changed: changes.changed.slice(0, listLengthMax),
      added_count: changes.added.length,
      removed_count: changes.removed.length,
      changed_count: changes.changed.length,
    },
    ipAddress: "",
  };
}

function asked(initiator: AuditInitiator, { id, prefix }: UpstreamReference) {
  return {
    actor: initiator.actor,
    project: initiator.project,
    target: prefix,
    metadata: { upstream_id: id, prefix },
    ipAddress: initiator.ipAddress,
    traceparent: initiator.traceparent,
  };
}
