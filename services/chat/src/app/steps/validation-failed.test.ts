import { compileSchema } from "@gatehouse/json-schema";
import { expect, test } from "vitest";
import { validationFailed } from "./validation-failed.ts";

test("the caller gets the invalid names, and the log none from the caller", () => {
  const schema = compileSchema({ additionalProperties: { type: "string" } }, "output_schema");
  const verdict = schema.check({ "Jane Doe": 1 }, 1_000);
  if (verdict.kind !== "checked") throw new Error("The check was not finished.");
  const refusal = validationFailed("output_schema_failed", verdict.violations);
  expect([refusal.message, refusal.loggedMessage]).toEqual([
    "Validation failed: /Jane Doe must be string",
    "Validation failed: /* must be string",
  ]);
});
