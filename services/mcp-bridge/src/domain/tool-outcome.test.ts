import { type ErrorCode, errorTable, GatewayError } from "@gatehouse/errors";
import { describe, expect, it } from "vitest";
import { findArgumentProblem, toRefusedResult, toTextResult } from "./tool-outcome.ts";

describe("a call's arguments", () => {
  it.each([[{}], [{ messages: [] }]])("lack their message: %j", (given) => {
    expect(findArgumentProblem(given)).toMatchObject({
      code: "invalid_argument",
      message: "Missing required argument: message",
    });
  });

  it.each([[1], [null], [{}], [["x"]], [true]])("have a message that is not a string: %j", (message) => {
    expect(findArgumentProblem({ message })).toMatchObject({ message: "message must be string" });
  });

  it("are valid with any string, and with more than the message", () => {
    expect(findArgumentProblem({ message: "" })).toBeUndefined();
    expect(findArgumentProblem({ message: "x", session_id: "s" })).toBeUndefined();
  });
});

describe("a refused call", () => {
  const told: ReadonlySet<ErrorCode> = new Set([
    "rate_limited",
    "budget_exhausted",
    "budget_reserved",
    "token_cap_exceeded",
    "guardrail_blocked",
    "input_schema_failed",
    "output_schema_failed",
  ]);
  const codes = Object.keys(errorTable) as ErrorCode[];

  it.each(codes.filter((code) => told.has(code)))("is a result for the model with %s", (code) => {
    expect(toRefusedResult(new GatewayError(code, "Why."), "t")).toEqual(toTextResult("Why.", true));
  });

  it.each(codes.filter((code) => !told.has(code) && code !== "endpoint_not_found"))("fails with %s", (code) => {
    const err = new GatewayError(code, "Why.");
    expect(() => toRefusedResult(err, "t")).toThrow(err);
  });

  it("names a missing tool without further details", () => {
    const err = new GatewayError("endpoint_not_found", "Endpoint 't' not found or inactive.");
    expect(() => toRefusedResult(err, "t")).toThrow("Unknown tool: t");
  });
});
