import type { PromptTemplate } from "@gatehouse/dialects";
import type { ResolvedTarget } from "@gatehouse/failover";
import type { CompiledSchema } from "@gatehouse/json-schema";
import type { Endpoint, EndpointDefinition } from "./endpoint-fields.ts";

/** Fields of an endpoint in a list of models. */
export type ActiveEndpoint = Pick<Endpoint, "slug" | "createdAt">;

/** Fields of an endpoint in a list of MCP tools. */
export type ExposedEndpoint = Pick<EndpointDefinition, "slug" | "description" | "inputSchema" | "systemPrompt">;

/** An active endpoint, compiled for calls. Rebuilt when its configuration changes. */
export interface CompiledEndpoint {
  readonly endpoint: Endpoint;
  readonly targets: readonly ResolvedTarget[];
  readonly inputSchema: CompiledSchema | undefined;
  readonly outputSchema: CompiledSchema | undefined;
  /** Absent: no system prompt. */
  readonly renderPrompt: PromptTemplate | undefined;
  readonly mayStream: boolean;
}
