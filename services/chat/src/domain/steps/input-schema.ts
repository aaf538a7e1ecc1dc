import { GatewayError } from "@gatehouse/errors";
import { required } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** The body, as it was sent, is valid against the endpoint's input schema (422). */
export function createInputSchemaStep(): Step {
  return {
    name: "input_schema",
    enter(call) {
      const violations = required(call.compiled, "the endpoint").validateInput?.(
        required(call.request, "the request").asSent,
      );
      if (violations === undefined || violations.length === 0) return undefined;
      return new GatewayError("input_schema_failed", `Validation failed: ${violations.join("; ")}`);
    },
  };
}
