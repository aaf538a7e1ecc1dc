import { expect, test } from "vitest";
import { sendProblem } from "./send-problem.ts";

const ready = { areSettingsValid: true, isRunning: false };
const sending = { token: "svc_test_x", text: "Hello", sides: [ready] };

test("a message with a token can be sent, to both sides too", () => {
  expect(sendProblem(sending)).toBeUndefined();
  expect(sendProblem({ ...sending, sides: [ready, ready] })).toBeUndefined();
});

test("the first missing input is named", () => {
  const nothing = { token: "", text: "", sides: [{ ...ready, areSettingsValid: false }] };
  expect(sendProblem(nothing)).toMatch(/token/);
  expect(sendProblem({ ...nothing, token: "svc_test_x" })).toMatch(/tools/);
  expect(sendProblem({ ...sending, text: "" })).toMatch(/message/);
});

test("a message to both sides waits until both are ready", () => {
  expect(sendProblem({ ...sending, sides: [ready, { ...ready, isRunning: true }] })).toMatch(
    /other conversation is still running/,
  );
  expect(sendProblem({ ...sending, sides: [ready, { ...ready, areSettingsValid: false }] })).toMatch(
    /tools of the other conversation/,
  );
});
