import type { Secret } from "@gatehouse/vault";
import type { UpstreamSettings } from "./upstream-settings.ts";

/** A registered MCP server, for administrators. */
export interface Upstream {
  readonly id: number;
  readonly projectUuid: string;
  readonly prefix: string;
  readonly url: string;
  readonly hasBearerToken: boolean;
  /** Reference to a token in a secret store. */
  readonly bearerTokenReference: string | null;
  readonly isActive: boolean;
  readonly settings: UpstreamSettings;
  /** Increases with every change. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An upstream with everything needed to call it. */
export interface ReachableUpstream extends Upstream {
  readonly bearerToken: Secret | undefined;
}

const protocolModes = ["unknown", "bare", "session", "stateless", "sse", "modern"] as const;
/** Protocol revision and transport that an upstream was found to speak. */
export type ProtocolMode = (typeof protocolModes)[number];

/** A stored mode; `unknown` for one of another version. */
export function toProtocolMode(text: string): ProtocolMode {
  return protocolModes.find((protocolMode) => protocolMode === text) ?? "unknown";
}
