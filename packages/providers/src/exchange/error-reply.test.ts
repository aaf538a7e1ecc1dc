import { expect, test } from "vitest";
import { fromErrorEvent, fromErrorReply } from "./error-reply.ts";

const prompt = "tell me about my secret project Falcon";
const said = `The prompt "${prompt}" is not allowed`;

function replyOf(body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fromErrorReply({ provider: "acme", status: 400, retryAfterSeconds: undefined, body: text, secrets: [] });
}

test.each([
  [
    "OpenAI's form",
    { error: { message: said, type: "invalid_request_error", code: "content_filter" } },
    " (content_filter)",
  ],
  ["a form without a code", { error: { message: said, type: "invalid_request_error" } }, " (invalid_request_error)"],
  ["Google's form", [{ error: { code: 400, message: said, status: "INVALID_ARGUMENT" } }], " (INVALID_ARGUMENT)"],
  ["a bare message", { message: said }, ""],
  ["a code that is a sentence", { error: { message: said, code: prompt } }, ""],
  ["no JSON", said, ""],
])("the caller gets a provider's message, and the log only the error's name: %s", (_name, body, name) => {
  const error = replyOf(body);
  expect(error.loggedMessage).toBe(`acme answered 400${name}`);
  if (typeof body !== "string") expect(error.message).toContain(prompt);
});

test("an error inside a reply is logged by its name as well", () => {
  const error = fromErrorEvent("acme", { message: said, type: "overloaded_error" }, []);
  expect(error).toMatchObject({ status: 529, loggedMessage: "acme sent error 529 in its reply (overloaded_error)" });
  expect(error.message).toContain(prompt);
});
