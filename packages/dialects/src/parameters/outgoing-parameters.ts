import type { JsonObject } from "@gatehouse/json";
import type { ChatRequest } from "../chat/chat-request.ts";
import { mergeParameters } from "./model-parameters.ts";

interface AskedEndpoint {
  readonly request: ChatRequest;
  readonly compiled: { readonly endpoint: EndpointParameters };
}

interface EndpointParameters {
  readonly parameters: JsonObject | null;
  readonly outputSchema: JsonObject | null;
}

/**
 * Parameters that a call sends to every target, before the budget's limit. An output schema is also sent, unless the
 * administrator or the caller has set a response format.
 */
export function outgoingParameters({ request, compiled }: AskedEndpoint): JsonObject {
  const { parameters: own, operation } = request;
  const { parameters, outputSchema } = compiled.endpoint;
  const merged = mergeParameters(parameters, own);
  if (outputSchema === null || outputSchema === undefined || operation === "embeddings") return merged;
  return { response_format: toResponseFormat(outputSchema), ...merged };
}

function toResponseFormat(schema: JsonObject): JsonObject {
  return { type: "json_schema", json_schema: { name: "reply", schema } };
}
