import { andThen } from "@gatehouse/async";
import { type CheckText, type Violation, violationsOf } from "@gatehouse/json-schema";
import type { Admitted } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";
import { validationFailed } from "./validation-failed.ts";

/** Validates the body, without the dispatcher's `endpoint`, against the endpoint's input schema (422). */
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

function judge(violations: readonly Violation[]): Verdict {
  return violations.length === 0 ? undefined : validationFailed("input_schema_failed", violations);
}
