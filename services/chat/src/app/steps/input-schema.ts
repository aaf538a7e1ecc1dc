import { andThen } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import { type CheckText, violationsOf } from "@gatehouse/json-schema";
import type { Admitted } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";

/** The body, as it was sent but for the dispatcher's `endpoint`, is valid against the endpoint's input schema (422). */
export function createInputSchemaStep(checkText: CheckText): Step<Admitted> {
  return {
    name: "input_schema",
    enter(call) {
      const { inputSchema: schema } = call.compiled;
      if (schema === undefined) return undefined;
      const scope = { tenant: call.principal.project.uuid, signal: call.abort.signal };
      const violations = violationsOf(schema, call.request.asSent, async (text) => {
        return await checkText(schema, text, scope);
      });
      return andThen(violations, judge);
    },
  };
}

function judge(violations: readonly string[]): Verdict {
  if (violations.length === 0) return undefined;
  return new GatewayError("input_schema_failed", `Validation failed: ${violations.join("; ")}`);
}
