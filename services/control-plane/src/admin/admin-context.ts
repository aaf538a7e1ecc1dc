import type { AnswerOnce } from "@gatehouse/admin";
import type { AuditInitiator, ProjectReference } from "@gatehouse/audit";
import type { Logger } from "@gatehouse/telemetry";
import type { Federation } from "../clients/federation.ts";
import type { IssuerKeys } from "../clients/issuer-keys.ts";
import type { ServiceStates } from "../clients/service-states.ts";
import type { Caller } from "../operations/caller.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import type { AccessTokenStore } from "../store/access-tokens.ts";
import type { AdminKeyStore } from "../store/admin-keys.ts";
import type { ApplyAlone } from "../store/apply-alone.ts";
import type { ConsoleSessionStore } from "../store/console-sessions.ts";
import type { AuditTrail } from "../store/control-plane-store.ts";
import type { IssuerStore } from "../store/issuers.ts";
import type { ProjectStore } from "../store/projects.ts";

/** Shared by the calls of all operations, made once by `createControlPlaneService`; `AdminContext` adds one call's caller. */
export interface AdminResources {
  readonly projects: ProjectStore;
  readonly tokens: AccessTokenStore;
  readonly adminKeys: AdminKeyStore;
  readonly sessions: ConsoleSessionStore;
  readonly issuers: IssuerStore;
  readonly issuerKeys: Pick<IssuerKeys, "problem">;
  /** For operations that change nothing and are still audited. */
  readonly audit: AuditTrail;
  /** Executes a call once per idempotency key. */
  readonly answerOnce: AnswerOnce;
  /** Ends the wait for a call while the database is silent. */
  readonly unlessSilent: <T>(work: () => Promise<T>) => Promise<T>;
  /** Applies one configuration document at a time. */
  readonly applyAlone: ApplyAlone;
  readonly federation: Pick<
    Federation,
    "deleteEndpoint" | "deleteProject" | "deleteProjectAgain" | "exportSecrets" | "find"
  >;
  readonly states: Pick<ServiceStates, "read">;
  readonly wallNow: () => number;
  /** For causes of failures that the answer omits. */
  readonly log: Pick<Logger, "error">;
}

/** Resources of one call, with its caller. */
export interface AdminContext extends AdminResources {
  readonly caller: Caller;
  /** The other operations, for those that are composed of them. */
  readonly operations: OperationRunner;
}

/** The caller as initiator of a change in a project. */
export function inProject(initiator: AuditInitiator, { id, uuid, name }: ProjectReference): AuditInitiator {
  return { ...initiator, project: { id, uuid, name } };
}
