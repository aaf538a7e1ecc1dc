import { type AuditInitiator, initiatorMetadata, type ProjectReference } from "@gatehouse/audit";
import { adminActor, type RequestContext, type RouterFacts } from "@gatehouse/principal";
import type { Metadata } from "nice-grpc-common";
import type { Administrator } from "../domain/access.ts";

/** The administrator of a call, for authorisation and audit events. Null projects: the whole gateway. */
export interface Caller {
  readonly administrator: Administrator;
  /** 0: no admin key. */
  readonly adminKeyId: number;
  /** The router of the call; absent for an older version. */
  readonly router: RouterFacts | undefined;
  /** Initiator of a change that this service makes. */
  initiatorFor(project: ProjectReference | null): AuditInitiator;
  /** Metadata of a gRPC call that makes a change in another service. */
  optionsFor(project: ProjectReference | null): { readonly metadata: Metadata };
}

/** The administrator of a request, with the rights that each operation requires. */
export function createCaller({ principal, ipAddress, span, router }: RequestContext): Caller {
  const actor = principal.kind === "admin" ? adminActor(principal.name) : `token:${principal.tokenName}`;
  // The router admits no token here; if it did, nothing would be allowed.
  const administrator = principal.kind === "admin" ? principal : ({ role: "viewer", projects: [] } as const);
  const initiatorFor = (project: ProjectReference | null): AuditInitiator => ({
    actor,
    ipAddress,
    project: project === null ? null : { id: project.id, uuid: project.uuid, name: project.name },
    traceparent: span.traceparent ?? "",
  });
  const adminKeyId = principal.kind === "admin" ? principal.adminKeyId : 0;
  return {
    administrator,
    adminKeyId,
    router,
    initiatorFor,
    optionsFor: (project) => ({ metadata: initiatorMetadata(initiatorFor(project)) }),
  };
}
