import type { Database } from "@gatehouse/database";
import type { TryUpstream } from "../app/try-upstream.ts";
import type { UpstreamRegistry } from "../app/upstream-registry.ts";
import type { UpstreamWriter } from "../store/upstreams.ts";

/** Stores and clients of the administrative operations. They read from the database, so that a change is seen as soon as it is made. */
export interface AdminContext {
  readonly database: Database;
  readonly writer: UpstreamWriter;
  readonly registry: UpstreamRegistry;
  /** @throws GatewayError `ssrf_blocked` with a detail; `upstream_unreachable` for a name without an address. */
  readonly checkUrl: (url: string) => Promise<unknown>;
  readonly tryUpstream: TryUpstream;
}
