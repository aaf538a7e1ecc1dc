import type { Database } from "@gatehouse/database";
import type { TryUpstream } from "../app/try-upstream.ts";
import type { UpstreamRegistry } from "../app/upstream-registry.ts";
import type { UpstreamWriter } from "../store/upstreams.ts";
import type { KnownStates } from "./known-states.ts";

/** Resources of the administrative operations, which read from the database, so that a change is visible at once. */
export interface AdminContext {
  readonly database: Database;
  readonly writer: UpstreamWriter;
  readonly registry: UpstreamRegistry;
  readonly states: Pick<KnownStates, "latest">;
  /** @throws GatewayError `ssrf_blocked` with a detail and the argument's name */
  readonly checkUrl: (url: string, argument: string) => Promise<unknown>;
  readonly tryUpstream: TryUpstream;
}
