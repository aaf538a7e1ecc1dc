import type { TokenEndpointClient } from "../clients/token-endpoint.ts";
import type { UpstreamAddress } from "../domain/endpoint.ts";
import type { ApiProxyStore } from "../store/api-proxy-store.ts";

/** Stores and clients of the administrative operations. */
export interface AdminContext {
  readonly store: ApiProxyStore;
  /** @throws GatewayError `ssrf_blocked` for a URL that leads where no call may go. */
  readonly checkUrl: (url: string) => Promise<URL>;
  /** @throws GatewayError `ssrf_blocked` for a URL in a form that leaves its host open. */
  readonly readUpstreamUrl: (url: string) => Promise<UpstreamAddress>;
  readonly tokenEndpoint: TokenEndpointClient;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}
