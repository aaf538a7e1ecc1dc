import { type AuditInitiator, initiatorMetadata, type ProjectReference } from "@gatehouse/audit";
import { adminActor, type RequestContext, type RouterFacts } from "@gatehouse/principal";
import type { Metadata } from "nice-grpc-common";
import type { Administrator } from "../domain/access.ts";

/** The administrator behind a call, for rights and audit events. A null project stands for the whole gateway. */
export interface Caller {
  readonly administrator: Administrator;
  /** 0 for a caller without an admin key. */
  readonly adminKeyId: number;
  /** The router that let the call in; absent where it is of an older version. */
  readonly router: RouterFacts | undefined;
  /** Initiator of a change that this service makes. */
  initiatorFor(project: ProjectReference | null): AuditInitiator;
  /** Metadata of a gRPC call that makes a change in another service. */
  optionsFor(project: ProjectReference | null): { readonly metadata: Metadata };
}

/** The administrator of a request, with the rights that each operation is checked against. */
export function createCaller({ principal, ipAddress, span, router }: RequestContext): Caller {
  const actor = principal.kind === "admin" ? adminActor(principal.name) : `token:${principal.tokenName}`;
  // The router lets no token in here; one would be allowed nothing.
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
