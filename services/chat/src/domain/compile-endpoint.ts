import { compilePromptTemplate } from "@gatehouse/dialects";
import type { ResolvedTarget } from "@gatehouse/failover";
import { compileSchema } from "@gatehouse/json-schema";
import type { Endpoint } from "./endpoint-fields.ts";
import type { CompiledEndpoint } from "./endpoint.ts";

/**
 * Makes an endpoint ready for calls: its schemas and its prompt compiled, once for all calls.
 * @throws GatewayError `invalid_argument` for a definition that {@link checkEndpointDefinition} would have refused.
 */
export function compileEndpoint(endpoint: Endpoint, targets: readonly ResolvedTarget[]): CompiledEndpoint {
  const { inputSchema, outputSchema, systemPrompt, streamingEnabled } = endpoint;
  return {
    endpoint,
    targets,
    inputSchema: inputSchema === null ? undefined : compileSchema(inputSchema, "input_schema"),
    outputSchema: outputSchema === null ? undefined : compileSchema(outputSchema, "output_schema"),
    renderPrompt: systemPrompt === null ? undefined : compilePromptTemplate(systemPrompt, "system_prompt"),
    // A streamed text cannot be taken back, so an answer that may yet be refused is sent whole.
    mayStream: streamingEnabled && outputSchema === null,
  };
}
