import type { JsonObject } from "@gatehouse/json";
import type { PromptTemplate } from "./prompt-template.ts";
import type { ProviderAddress } from "@gatehouse/providers";
import type { CompiledSchema } from "./schema/compile-schema.ts";

export interface Target {
  /** A provider's name. */
  readonly provider: string;
  readonly model: string;
  /** US dollars for a million tokens; absent means the price data set's. */
  readonly inputPricePerMillion?: number | undefined;
  readonly outputPricePerMillion?: number | undefined;
  /** Further tries at this target before the next one is asked; absent means none. */
  readonly retries?: number | undefined;
}

/**
 * Handling of a stream that breaks off at the provider: `error` ends it with an error event, `hold` sends nothing before the
 * answer is whole, `continue` has the next target go on from the text so far.
 */
export const midStreamPolicies = ["error", "hold", "continue"] as const;
export type MidStreamPolicy = (typeof midStreamPolicies)[number];

export function isMidStreamPolicy(value: string): value is MidStreamPolicy {
  return (midStreamPolicies as readonly string[]).includes(value);
}

/** The part of an endpoint that an administrator writes. */
export interface EndpointDefinition {
  readonly slug: string;
  /** Tried in this order; at least one. */
  readonly targets: readonly Target[];
  readonly description: string | null;
  readonly systemPrompt: string | null;
  /** Model parameters sent with every call; a caller's own parameters do not exist on the chat routes. */
  readonly parameters: JsonObject | null;
  readonly streamingEnabled: boolean;
  readonly exposeAsMcpTool: boolean;
  readonly maxRequestTokens: number | null;
  readonly monthlyBudgetMicros: number | null;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
  /** Bound of one attempt at one target; null takes the service's default. */
  readonly timeoutMs: number | null;
  /** Bound from a stream's request to its first token; null takes `timeoutMs`, else the service's default. */
  readonly firstTokenTimeoutMs: number | null;
  /** Longest silence inside an answer; null likewise. */
  readonly idleTimeoutMs: number | null;
  readonly midStream: MidStreamPolicy;
  /** Tokens that `hold` holds before the stream is passed on as it comes; null holds the whole answer. */
  readonly holdTokens: number | null;
  /** Parameters that callers may send although they choose a model, a route or a provider; others that do are refused. */
  readonly allowedParameters: readonly string[];
}

export interface Endpoint extends EndpointDefinition {
  readonly uuid: string;
  readonly projectUuid: string;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Fields of an endpoint in a list of MCP tools. */
export type ExposedEndpoint = Pick<EndpointDefinition, "slug" | "description" | "inputSchema">;

/** A target with all that a call to it needs, or the reason why it cannot be called. */
export type ResolvedTarget =
  | { readonly kind: "ready"; readonly target: Target; readonly address: ProviderAddress }
  | { readonly kind: "disabled"; readonly target: Target }
  /** Its provider was never made, or has no active credential where its kind needs one. */
  | { readonly kind: "misconfigured"; readonly target: Target; readonly problem: string };

export type ReadyTarget = Extract<ResolvedTarget, { kind: "ready" }>;

/** An active endpoint made ready for calls. Rebuilt when its configuration changes. */
export interface CompiledEndpoint {
  readonly endpoint: Endpoint;
  readonly targets: readonly ResolvedTarget[];
  readonly inputSchema: CompiledSchema | undefined;
  readonly outputSchema: CompiledSchema | undefined;
  /** Absent where the endpoint has no system prompt. */
  readonly renderPrompt: PromptTemplate | undefined;
  /** Whether a reply may be streamed to a caller who asks for it. */
  readonly mayStream: boolean;
}
