import type { Secret } from "@gatehouse/vault";
import type { CredentialNames } from "./credential-names.ts";

/** Methods that an endpoint may allow. CONNECT and TRACE are not passed on to anyone. */
export const proxyMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Authorisation of calls to the upstream, with its secret. */
export type EndpointAuth =
  | { readonly type: "none" }
  | { readonly type: "header"; readonly name: string; readonly value: Secret }
  | { readonly type: "basic"; readonly username: string; readonly password: Secret }
  | { readonly type: "oauth"; readonly connectionId: number };

/** Authentication at the upstream as administrators see it: without secrets. */
export type ShownAuth =
  | { readonly type: "none" }
  | { readonly type: "header"; readonly name: string }
  | { readonly type: "basic"; readonly username: string }
  | { readonly type: "oauth"; readonly connectionId: number };

/** Address of an endpoint's upstream. It may be saved although calls to it are refused at present; then `warning` says why. */
export interface UpstreamAddress {
  readonly url: string;
  readonly warning?: string;
}

/** Authorisation of a request: a known header, or one whose value an OAuth connection has. */
export type UpstreamAuth =
  | { readonly kind: "none" }
  | { readonly kind: "header"; readonly name: string; readonly value: Secret }
  | { readonly kind: "oauth"; readonly connectionId: number };

/** An active endpoint made ready for requests. */
export interface CompiledEndpoint {
  readonly uuid: string;
  readonly slug: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The upstream URL's own path; begins with a slash. */
  readonly basePath: string;
  readonly methods: ReadonlySet<string>;
  /** The value of `Allow`. */
  readonly allow: string;
  readonly auth: UpstreamAuth;
  /** Names of credentials that are taken out of a caller's request, since `auth` takes their place. */
  readonly credentialNames: CredentialNames;
  readonly timeoutMs: number | undefined;
}
