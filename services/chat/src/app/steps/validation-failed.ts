import { GatewayError } from "@gatehouse/errors";
import type { Violation } from "@gatehouse/json-schema";

/** The refusal of a value that its schema does not allow. The log gets it without the names that the value brought. */
export function validationFailed(
  code: "input_schema_failed" | "output_schema_failed",
  violations: readonly Violation[],
): GatewayError {
  const message = (form: keyof Violation) => `Validation failed: ${violations.map((each) => each[form]).join("; ")}`;
  return new GatewayError(code, message("text"), { loggedMessage: message("logged") });
}
