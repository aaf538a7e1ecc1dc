import {
  auditEvent,
  type AuditInitiator,
  type NewAuditEvent,
  type ProjectReference,
  systemInitiator,
} from "@gatehouse/audit";
import type { AccessToken } from "./domain/access-token.ts";
import { adminInitiator } from "./domain/console-session.ts";
import type { Project } from "./domain/project.ts";

/** A token, with the project for its events. */
export interface TokenOfProject {
  readonly token: AccessToken;
  readonly project: ProjectReference;
}

interface SessionReference {
  readonly id: number;
  readonly ipAddress: string;
  readonly administrator: AdminKeyReference;
}

interface AdminKeyReference {
  readonly id: number;
  readonly name: string;
}

/** Event `project.created`, with the project's type. */
export function projectCreated(initiator: AuditInitiator, project: Project): NewAuditEvent {
  const metadata = { project_type: project.projectType };
  return auditEvent(initiator, "project.created", { project, target: project.name, metadata });
}

/** @param changed names of the arguments whose values differ */
export function projectUpdated(initiator: AuditInitiator, project: Project, changed: readonly string[]): NewAuditEvent {
  const metadata = { project_type: project.projectType, changed: [...changed] };
  return auditEvent(initiator, "project.updated", { project, target: project.name, metadata });
}

/** Event `project.deleted`, which keeps the project's name and type. */
export function projectDeleted(initiator: AuditInitiator, project: Project): NewAuditEvent {
  const metadata = { project_type: project.projectType };
  return auditEvent(initiator, "project.deleted", { project, target: project.name, metadata });
}

/** Without the token's plaintext. */
export function tokenCreated(initiator: AuditInitiator, subject: TokenOfProject): NewAuditEvent {
  return auditEvent(initiator, "token.created", describeToken(subject));
}

/** @param changed names of the arguments whose values differ */
export function tokenUpdated(
  initiator: AuditInitiator,
  subject: TokenOfProject,
  changed: readonly string[],
): NewAuditEvent {
  const { metadata, ...about } = describeToken(subject);
  return auditEvent(initiator, "token.updated", { ...about, metadata: { ...metadata, changed: [...changed] } });
}

/** Event `token.rotated`: the token's former plaintext is refused from then on. Contains neither plaintext. */
export function tokenRotated(initiator: AuditInitiator, subject: TokenOfProject): NewAuditEvent {
  return auditEvent(initiator, "token.rotated", describeToken(subject));
}

/** Event `token.revoked`: the token is refused from then on, and remains in lists. */
export function tokenRevoked(initiator: AuditInitiator, subject: TokenOfProject): NewAuditEvent {
  return auditEvent(initiator, "token.revoked", describeToken(subject));
}

/** Event `token.deleted`, which keeps the token's name, environment and scopes. */
export function tokenDeleted(initiator: AuditInitiator, subject: TokenOfProject): NewAuditEvent {
  return auditEvent(initiator, "token.deleted", describeToken(subject));
}

function describeToken({ token, project }: TokenOfProject) {
  const metadata = { token_id: token.id, environment: token.environment, scopes: [...token.scopes] };
  return { project, target: token.name, metadata };
}

interface IssuerOfProject {
  readonly id: number;
  readonly issuer: string;
  readonly project: ProjectReference;
}

/** Event `issuer.created`, whose target is the issuer's URL. */
export function issuerCreated(initiator: AuditInitiator, issuer: IssuerOfProject): NewAuditEvent {
  return auditEvent(initiator, "issuer.created", describeIssuer(issuer));
}

/** @param changed names of the arguments whose values differ */
export function issuerUpdated(
  initiator: AuditInitiator,
  issuer: IssuerOfProject,
  changed: readonly string[],
): NewAuditEvent {
  const { metadata, ...about } = describeIssuer(issuer);
  return auditEvent(initiator, "issuer.updated", { ...about, metadata: { ...metadata, changed: [...changed] } });
}

/** Event `issuer.deleted`, whose target is the issuer's URL. Its subjects are deleted without events. */
export function issuerDeleted(initiator: AuditInitiator, issuer: IssuerOfProject): NewAuditEvent {
  return auditEvent(initiator, "issuer.deleted", describeIssuer(issuer));
}

function describeIssuer({ id, issuer, project }: IssuerOfProject) {
  return { project, target: issuer, metadata: { issuer_id: id } };
}

/** @param initiator the gateway itself for a key of the environment or a generated one */
export function adminKeyCreated({ id, name }: AdminKeyReference, initiator = systemInitiator): NewAuditEvent {
  return auditEvent(initiator, "admin_key.created", { project: null, target: name, metadata: { admin_key_id: id } });
}

/** Without the key's plaintext. */
export function adminKeyRotated({ id, name }: AdminKeyReference, initiator: AuditInitiator): NewAuditEvent {
  return auditEvent(initiator, "admin_key.rotated", { project: null, target: name, metadata: { admin_key_id: id } });
}

/** By the system where the key was removed from the environment. */
export function adminKeyRevoked({ id, name }: AdminKeyReference, initiator = systemInitiator): NewAuditEvent {
  return auditEvent(initiator, "admin_key.revoked", { project: null, target: name, metadata: { admin_key_id: id } });
}

/** A sign-in; the event refers to the session. */
export function sessionStarted(session: SessionReference): NewAuditEvent {
  const { administrator, ipAddress } = session;
  return auditEvent(adminInitiator(administrator.name, ipAddress), "auth.session_started", describeSession(session));
}

/** `auth.session_ended`, by its own or another administrator. */
export function sessionEnded(initiator: AuditInitiator, session: SessionReference): NewAuditEvent {
  return auditEvent(initiator, "auth.session_ended", describeSession(session));
}

function describeSession({ id, administrator }: SessionReference) {
  return { project: null, target: administrator.name, metadata: { session_id: id, admin_key_id: administrator.id } };
}

/** A refused sign-in or admin key. */
export interface FailedLogin {
  readonly ipAddress: string;
  /** Kind of credential: an admin key, or an identity provider. */
  readonly target: string;
  readonly reason: string;
  /** Unrecorded attempts of the same address since the last event. */
  readonly unrecorded: number;
  /** The person's subject, if an identity provider has named it. */
  readonly subject?: string;
}

/** `auth.login_failed`: one attempt, with the number of unrecorded ones. */
export function loginFailed({ ipAddress, target, reason, unrecorded, subject }: FailedLogin): NewAuditEvent {
  const initiator: AuditInitiator = { ...systemInitiator, actor: "unknown", ipAddress };
  const metadata = {
    reason,
    ...(subject === undefined ? {} : { subject }),
    ...(unrecorded === 0 ? {} : { attempts_unrecorded: unrecorded }),
  };
  return auditEvent(initiator, "auth.login_failed", { target, metadata });
}

/** @param withSecrets whether secrets were included, encrypted to the caller's recipient */
export function backupExported(initiator: AuditInitiator, withSecrets: boolean): NewAuditEvent {
  const metadata = withSecrets ? { with_secrets: true } : {};
  return auditEvent(initiator, "backup.exported", { project: null, target: "configuration", metadata });
}
