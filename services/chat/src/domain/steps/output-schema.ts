import { GatewayError } from "@gatehouse/errors";
import { required } from "../call.ts";
import { contentOf } from "../chat-reply.ts";
import type { Step } from "../pipeline.ts";

/** The model's text, parsed as JSON, is valid against the endpoint's output schema (502). */
export function createOutputSchemaStep(): Step {
  return {
    name: "output_schema",
    enter(call) {
      const { validateOutput } = required(call.compiled, "the endpoint");
      const reply = required(call.reply, "the reply");
      if (validateOutput === undefined || reply.kind === "stream") return undefined;
      const value = parseJson(contentOf(reply.completion));
      if (value === undefined) return failed("output is not valid JSON");
      const violations = validateOutput(value);
      return violations.length === 0 ? undefined : failed(violations.join("; "));
    },
  };
}

/** Undefined, which is no JSON value, for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
}

function failed(reason: string): GatewayError {
  return new GatewayError("output_schema_failed", `Validation failed: ${reason}`);
}
