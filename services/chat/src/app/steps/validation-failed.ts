import { GatewayError } from "@gatehouse/errors";
import type { Violation } from "@gatehouse/json-schema";

/** Error for a value that its schema refuses. The log omits names from the value. */
export function validationFailed(
  code: "input_schema_failed" | "output_schema_failed",
  violations: readonly Violation[],
): GatewayError {
  const message = (form: keyof Violation) => `Validation failed: ${violations.map((each) => each[form]).join("; ")}`;
  return new GatewayError(code, message("text"), { loggedMessage: message("logged") });
}
