import type { TokenEndpointClient } from "../clients/token-endpoint.ts";
import type { UpstreamAddress } from "../domain/endpoint.ts";
import type { ApiProxyStore } from "../store/api-proxy-store.ts";

/** Last argument of every `prepare` and `run` of this service's operations; built once, in `createApiProxyService`. */
export interface AdminContext {
  readonly store: ApiProxyStore;
  /** @throws GatewayError `ssrf_blocked` for a URL at a blocked address, with the argument's name */
  readonly checkUrl: (url: string, argument: string) => Promise<URL>;
  /** @throws GatewayError `ssrf_blocked` for a URL whose form leaves its host ambiguous */
  readonly readUpstreamUrl: (url: string) => Promise<UpstreamAddress>;
  readonly tokenEndpoint: TokenEndpointClient;
  /** Epoch milliseconds. */
  readonly wallNow: () => number;
}
