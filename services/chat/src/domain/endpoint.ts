import type { ProviderAddress } from "@gatehouse/providers";
import type { Endpoint, EndpointDefinition } from "./endpoint-fields.ts";
import type { Target } from "./target.ts";
import type { PromptTemplate } from "./prompt-template.ts";
import type { CompiledSchema } from "./schema/compile-schema.ts";

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
