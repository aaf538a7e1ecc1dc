import type { Secret } from "@gatehouse/vault";
import type { CredentialNames } from "./credential-names.ts";

/** Methods that an endpoint may allow. CONNECT and TRACE are never forwarded. */
export const proxyMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Authorisation at the upstream, with its secret. */
export type EndpointAuth =
  | { readonly type: "none" }
  | { readonly type: "header"; readonly name: string; readonly value: Secret }
  | { readonly type: "basic"; readonly username: string; readonly password: Secret }
  | { readonly type: "oauth"; readonly connectionId: number };

/** Authorisation at the upstream without secrets, for administrators. */
export type ShownAuth =
  | { readonly type: "none" }
  | { readonly type: "header"; readonly name: string }
  | { readonly type: "basic"; readonly username: string }
  | { readonly type: "oauth"; readonly connectionId: number };

/** Address of an endpoint's upstream. May be saved although calls to it are blocked; `warning` then says why. */
export interface UpstreamAddress {
  readonly url: string;
  readonly warning?: string;
}

/** Authorisation of a request: a known header, or an OAuth connection that provides its value. */
export type UpstreamAuth =
  | { readonly kind: "none" }
  | { readonly kind: "header"; readonly name: string; readonly value: Secret }
  | { readonly kind: "oauth"; readonly connectionId: number };

/** An active endpoint, prepared for requests. */
export interface CompiledEndpoint {
  readonly uuid: string;
  readonly slug: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path of the upstream URL; starts with a slash. */
  readonly basePath: string;
  readonly methods: ReadonlySet<string>;
  /** Value of the `Allow` header. */
  readonly allow: string;
  readonly auth: UpstreamAuth;
  /** Names of credentials that are removed from requests, since `auth` replaces them. */
  readonly credentialNames: CredentialNames;
  readonly timeoutMs: number | undefined;
}
