import {
  auditEvent,
  type AuditInitiator,
  type BlockedCall,
  describeEndpoint,
  type EndpointSubject,
  guardrailBlocked,
  type NewAuditEvent,
  type ProjectReference,
  systemInitiator,
} from "@gatehouse/audit";
import { type BudgetEvent, budgetThresholdPercent } from "@gatehouse/limits";
import { toDollars } from "@gatehouse/money";
import type { TargetRefusal } from "@gatehouse/providers";

interface ProviderSubject {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
}

/** A target whose key or model its provider refuses: an event of the gateway, without a project. */
export function targetRefused({ provider, ...metadata }: TargetRefusal): NewAuditEvent {
  return auditEvent(systemInitiator, "provider.target_refused", { project: null, target: provider, metadata });
}

interface CredentialSubject {
  readonly id: number;
  readonly name: string;
  readonly provider: string;
}

type ProviderEventKey = "provider.created" | "provider.enabled" | "provider.disabled" | "provider.deleted";

/** `provider.created`, `.enabled`, `.disabled` or `.deleted`, which have the same fields. */
export function providerEvent(
  event: ProviderEventKey,
  initiator: AuditInitiator,
  provider: ProviderSubject,
): NewAuditEvent {
  return auditEvent(initiator, event, describeProvider(provider));
}

/** @param changed names of the arguments whose values differ */
export function providerUpdated(
  initiator: AuditInitiator,
  provider: ProviderSubject,
  changed: readonly string[],
): NewAuditEvent {
  const { metadata, ...subject } = describeProvider(provider);
  return auditEvent(initiator, "provider.updated", { ...subject, metadata: { ...metadata, changed: [...changed] } });
}

function describeProvider({ id, name, kind }: ProviderSubject) {
  return { project: null, target: name, metadata: { provider_id: id, kind } };
}

type CredentialEventKey =
  | "credential.created"
  | "credential.activated"
  | "credential.deactivated"
  | "credential.deleted";

/** Events of a credential with the same fields: provider and name, never the key. */
export function credentialEvent(
  event: CredentialEventKey,
  initiator: AuditInitiator,
  credential: CredentialSubject,
): NewAuditEvent {
  return auditEvent(initiator, event, describeCredential(credential));
}

/** @param changed names of the arguments whose values differ; includes the key, never its value */
export function credentialUpdated(
  initiator: AuditInitiator,
  credential: CredentialSubject,
  changed: readonly string[],
): NewAuditEvent {
  const { metadata, ...subject } = describeCredential(credential);
  return auditEvent(initiator, "credential.updated", { ...subject, metadata: { ...metadata, changed: [...changed] } });
}

function describeCredential({ id, name, provider }: CredentialSubject) {
  return { project: null, target: name, metadata: { credential_id: id, provider } };
}

interface SessionSubject {
  readonly id: number;
  readonly sessionUuid: string;
  readonly endpointUuid: string;
  readonly slug: string;
  readonly tokenId: number;
}

/** Event `session.deleted`, whose target is the client's own session id. Contains no message. */
export function sessionDeleted(initiator: AuditInitiator, session: SessionSubject): NewAuditEvent {
  const { id, sessionUuid, endpointUuid, slug, tokenId } = session;
  const metadata = { session_id: id, endpoint: endpointUuid, slug, token_id: tokenId };
  return auditEvent(initiator, "session.deleted", { target: sessionUuid, metadata });
}

/** A call that a guardrail has blocked. */
export function endpointBlocked(call: BlockedCall, endpoint: EndpointSubject): NewAuditEvent {
  return guardrailBlocked(call, describeEndpoint(endpoint));
}

/** A budget that has reached its threshold, or is used up. */
export function budgetReached(event: BudgetEvent, slug: string, project: ProjectReference | null): NewAuditEvent {
  const metadata = {
    endpoint: event.endpointUuid,
    slug,
    month: event.month,
    spent_usd: toDollars(event.spentMicros),
    budget_usd: toDollars(event.budgetMicros),
  };
  const subject = { project, target: slug };
  if (event.kind === "budget.exhausted") return auditEvent(systemInitiator, event.kind, { ...subject, metadata });
  return auditEvent(systemInitiator, event.kind, {
    ...subject,
    metadata: { ...metadata, threshold: budgetThresholdPercent },
  });
}
