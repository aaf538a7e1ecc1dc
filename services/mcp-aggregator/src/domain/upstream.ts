import type { Secret } from "@gatehouse/vault";
import type { UpstreamSettings } from "./upstream-settings.ts";

/** A registered MCP server, as administrators see it. */
export interface Upstream {
  readonly id: number;
  readonly projectUuid: string;
  readonly prefix: string;
  readonly url: string;
  readonly hasBearerToken: boolean;
  /** Where the token is kept, for one that is kept elsewhere. */
  readonly bearerTokenReference: string | null;
  readonly isActive: boolean;
  readonly settings: UpstreamSettings;
  /** Rises with every change. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Upstream with what it takes to call it. */
export interface ReachableUpstream extends Upstream {
  readonly bearerToken: Secret | undefined;
}

/** The way of speaking that an upstream was found to have. */
const protocolModes = ["unknown", "bare", "session", "stateless", "sse", "modern"] as const;
/** The generation of the MCP protocol that an upstream speaks, as far as it is known. */
export type ProtocolMode = (typeof protocolModes)[number];

/** A stored mode; `unknown` for one that this version does not have. */
export function toProtocolMode(text: string): ProtocolMode {
  return protocolModes.find((protocolMode) => protocolMode === text) ?? "unknown";
}
