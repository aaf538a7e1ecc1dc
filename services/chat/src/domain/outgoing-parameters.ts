import { type Call, required } from "./call.ts";
import type { JsonObject } from "@gatehouse/json";
import { mergeParameters } from "./model-parameters.ts";

/**
 * The parameters that a call sends to every target, before the budget's limit. An output schema is also told to the model,
 * unless the administrator or the caller has set a form of reply.
 */
export function outgoingParameters({ request, compiled }: Call): JsonObject {
  const { parameters: own, operation } = required(request, "the request");
  const { parameters, outputSchema } = required(compiled, "the endpoint").endpoint;
  const merged = mergeParameters(parameters, own);
  if (outputSchema === null || outputSchema === undefined || operation === "embeddings") return merged;
  return { response_format: toResponseFormat(outputSchema), ...merged };
}

function toResponseFormat(schema: JsonObject): JsonObject {
  return { type: "json_schema", json_schema: { name: "reply", schema } };
}
