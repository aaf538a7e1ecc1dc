import type { TokenPrincipal } from "@gatehouse/principal";

/** A request whose body a policy may cover, as the log and the audit log name it. */
export interface GuardedRequest {
  readonly principal: TokenPrincipal;
  readonly endpoint: { readonly uuid: string; readonly slug: string };
  readonly requestId: string;
  readonly ipAddress: string;
  /** Empty where nothing is traced. */
  readonly traceparent: string;
}
