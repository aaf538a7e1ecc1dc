import { compilePromptTemplate } from "@gatehouse/dialects";
import { GatewayError } from "@gatehouse/errors";
import { compileSchema } from "@gatehouse/json-schema";
import type { EndpointDefinition } from "./endpoint-fields.ts";

/**
 * The rules of a definition beyond the bounds of its fields, which the administration's table enforces.
 * @throws GatewayError `invalid_argument` naming the first field that is wrong and how to fix it.
 */
export function checkEndpointDefinition(definition: EndpointDefinition): void {
  if (definition.systemPrompt !== null) compilePromptTemplate(definition.systemPrompt, "system_prompt");
  if (definition.inputSchema !== null) compileSchema(definition.inputSchema, "input_schema");
  if (definition.outputSchema !== null) compileSchema(definition.outputSchema, "output_schema");
  if (definition.holdTokens !== null && definition.midStream !== "hold") {
    throw new GatewayError(
      "invalid_argument",
      `hold_tokens needs mid_stream hold, not ${definition.midStream}; set hold_tokens to null to take it away`,
    );
  }
}
