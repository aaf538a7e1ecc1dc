import { isGatewayError } from "@gatehouse/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseChatRequest } from "./chat-request.ts";

test("a message becomes one user message", () => {
  expect(parseChatRequest({ message: "hi" }, "slug")).toMatchObject({
    slug: "slug",
    messages: [{ role: "user", content: "hi" }],
    stream: false,
  });
});

test("only role and content of a message reach the model", () => {
  const body = { messages: [{ role: "user", content: "hi", name: "x", tool_calls: [] }] };
  expect(parseChatRequest(body, "slug").messages).toEqual([{ role: "user", content: "hi" }]);
});

test("the direct route takes its slug from the path and not from the body", () => {
  expect(parseChatRequest({ message: "hi", endpoint: "other" }, "slug").slug).toBe("slug");
});

test("the dispatcher's body names a slug, which the input schema does not see", () => {
  const { slug, asSent } = parseChatRequest({ message: "hi", endpoint: "support", top: 1 }, undefined);
  expect([slug, asSent]).toEqual(["support", { message: "hi", top: 1 }]);
  expect(parseChatRequest({ message: "hi", endpoint: "other" }, "slug").asSent).toHaveProperty("endpoint");
});

test.each([[undefined], [""], [7], [null]])(
  "the dispatcher refuses %j as an endpoint, and names the field",
  (endpoint) => {
    expect(() => parseChatRequest({ message: "hi", endpoint }, undefined)).toThrow(/^'endpoint' /);
  },
);

test("every body is either parsed or refused as malformed", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.option(fc.string(), { nil: undefined }), (body, slug) => {
      try {
        parseChatRequest(body, slug);
      } catch (err) {
        expect(isGatewayError(err) && err.code).toBe("malformed_body");
      }
    }),
  );
});
