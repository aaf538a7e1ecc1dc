import { compilePromptTemplate } from "@gatehouse/dialects";
import { invalidArgument } from "@gatehouse/errors";
import type { ResolvedTarget } from "@gatehouse/failover";
import { compileSchema } from "@gatehouse/json-schema";
import type { Endpoint, EndpointDefinition } from "./endpoint-fields.ts";
import { checkEndpointParameters } from "./endpoint-parameters.ts";
import type { CompiledEndpoint } from "./endpoint.ts";

/**
 * Compiles an endpoint's schemas and prompt, once for all calls.
 * @throws GatewayError `invalid_argument` for a definition that {@link checkEndpointDefinition} would have refused
 */
export function compileEndpoint(endpoint: Endpoint, targets: readonly ResolvedTarget[]): CompiledEndpoint {
  const { streamingEnabled, outputSchema } = endpoint;
  // An answer that may still be refused is not streamed, since sent text cannot be withdrawn.
  return { endpoint, targets, ...compileParts(endpoint), mayStream: streamingEnabled && outputSchema === null };
}

/**
 * Checks the rules of a definition beyond the bounds of its fields, which the administration's table enforces.
 * @throws GatewayError `invalid_argument` naming the first invalid field and the remedy
 */
export function checkEndpointDefinition(definition: EndpointDefinition): void {
  compileParts(definition);
  if (definition.parameters !== null) checkEndpointParameters(definition.parameters);
  if (definition.holdTokens !== null && definition.midStream !== "hold") {
    throw invalidArgument(
      `hold_tokens needs mid_stream hold, not ${definition.midStream}; set hold_tokens to null to take it away`,
    );
  }
}

function compileParts({ systemPrompt, inputSchema, outputSchema }: EndpointDefinition) {
  return {
    renderPrompt: systemPrompt === null ? undefined : compilePromptTemplate(systemPrompt, "system_prompt"),
    inputSchema: inputSchema === null ? undefined : compileSchema(inputSchema, "input_schema"),
    outputSchema: outputSchema === null ? undefined : compileSchema(outputSchema, "output_schema"),
  };
}
