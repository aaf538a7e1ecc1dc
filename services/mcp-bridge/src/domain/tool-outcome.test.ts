import { GatewayError } from "@gatehouse/errors";
import { describe, expect, it, test } from "vitest";
import { findArgumentProblem, toCallError } from "./tool-outcome.ts";

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

test("a refusal of an endpoint names only its tool; others stay unchanged", () => {
  const missing = new GatewayError("endpoint_not_found", "Endpoint 't' not found or inactive.");
  expect(toCallError(missing, "t")).toMatchObject({ code: "invalid_argument", message: "Unknown tool: t" });
  const blocked = new GatewayError("guardrail_blocked", "Why.");
  expect(toCallError(blocked, "t")).toBe(blocked);
});
