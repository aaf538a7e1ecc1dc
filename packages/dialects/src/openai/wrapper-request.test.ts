import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWrapperRequest, wantsUsage } from "./wrapper-request.ts";

const messages = [{ role: "user", content: "Hello" }];

function parse(body: unknown) {
  return parseWrapperRequest(JSON.parse(JSON.stringify(body)));
}

describe("a Wrapper request", () => {
  it("names its endpoint in model; every other field except the gateway's own is a parameter", () => {
    const request = parse({ model: "fast", messages, temperature: 0, x: { y: [1] }, stream: true, session_id: "s" });
    expect(request).toMatchObject({ slug: "fast", stream: true, sessionId: undefined, messages });
    expect(request.parameters).toEqual({ temperature: 0, x: { y: [1] }, session_id: "s" });
  });

  it("may set a limit to null", () => {
    expect(parse({ model: "fast", messages, max_tokens: 1, n: null }).parameters).toEqual({ max_tokens: 1, n: null });
  });

  it("takes variables for the prompt, which are not sent to the provider", () => {
    const request = parse({ model: "fast", messages, variables: { name: "Ann" } });
    expect(request.variables).toEqual({ name: "Ann" });
    const refusal = {
      message: "'variables.Ann' must be a string, a number or a boolean.",
      loggedMessage: expect.stringMatching(/^'variables\.\*' must/),
    };
    expect(() => parse({ model: "fast", messages, variables: { Ann: null } })).toThrow(
      expect.objectContaining(refusal),
    );
    expect(request.parameters).toEqual({});
  });

  it.each([
    [{ include_usage: true }, true],
    [{ include_usage: false }, false],
    [{}, false],
    [null, false],
    [undefined, false],
  ])("with stream_options %j wants token counts: %s", (options, expected) => {
    expect(wantsUsage(parse({ model: "fast", messages, stream_options: options }))).toBe(expected);
  });

  it.each([
    [{ role: "system", content: "x" }],
    [{ role: "developer", content: "x" }],
    [{ role: "user", content: [{ type: "text", text: "x" }] }],
    [{ role: "user", content: [] }],
    [{ role: "assistant", content: null, tool_calls: [] }],
    [{ role: "assistant" }],
    [{ role: "tool", content: "x", tool_call_id: "a" }],
    [{ role: "function", name: "f", content: null }],
  ])("may have the message %j", (message) => {
    expect(parse({ model: "fast", messages: [message] }).messages).toEqual([message]);
  });

  it.each<[unknown, string]>([
    [[], "Request body must be a JSON object."],
    ["x", "Request body must be a JSON object."],
    [{ messages }, "'model' is required: the slug of the endpoint to call."],
    [{ model: 1, messages }, "'model' must be a string: the slug of the endpoint to call."],
    [{ model: null, messages }, "'model' must be a string: the slug of the endpoint to call."],
    [{ model: "", messages }, "'model' must be a string: the slug of the endpoint to call."],
    [{ model: "m" }, "'messages' is required: an array of {role, content}."],
    [{ model: "m", messages: {} }, "'messages' must be an array of {role, content}."],
    [{ model: "m", messages: null }, "'messages' must be an array of {role, content}."],
    [{ model: "m", messages: [] }, "'messages' must not be empty."],
    [{ model: "m", messages: Array(10_001).fill(messages[0]) }, "'messages' must have at most 10000 entries."],
    [{ model: "m", messages: ["x"] }, "'messages[0]' must be an object {role, content}."],
    [
      { model: "m", messages: [...messages, { role: "robot", content: "x" }] },
      "'messages[1].role' must be system, developer, user, assistant, tool or function.",
    ],
    [
      { model: "m", messages: [{ content: "x" }] },
      "'messages[0].role' must be system, developer, user, assistant, tool or function.",
    ],
    ...[
      { role: "user" },
      { role: "user", content: null },
      { role: "tool", content: 1 },
      { role: "assistant", content: {} },
    ].map<[unknown, string]>((message) => [
      { model: "m", messages: [message] },
      "'messages[0].content' must be a string or an array of content parts.",
    ]),
    [
      { model: "m", messages: [{ role: "user", content: ["x"] }] },
      "'messages[0].content' must hold objects only, each a content part with a type.",
    ],
    [{ model: "m", messages, stream: "true" }, "'stream' must be boolean."],
    [{ model: "m", messages, stream: 1 }, "'stream' must be boolean."],
    [{ model: "m", messages, stream_options: true }, "'stream_options' must be an object."],
    [{ model: "m", messages, stream_options: { include_usage: 1 } }, "'stream_options.include_usage' must be boolean."],
    [{ model: "m", messages, n: 0 }, "'n' must be a whole number from 1 to 128."],
    [{ model: "m", messages, n: 129 }, "'n' must be a whole number from 1 to 128."],
    [{ model: "m", messages, n: 1.5 }, "'n' must be a whole number from 1 to 128."],
    [{ model: "m", messages, n: "2" }, "'n' must be a whole number from 1 to 128."],
    [{ model: "m", messages, max_tokens: 1.5 }, "'max_tokens' must be a whole number of at least 1."],
    [{ model: "m", messages, max_tokens: 0 }, "'max_tokens' must be a whole number of at least 1."],
    [{ model: "m", messages, max_tokens: -1 }, "'max_tokens' must be a whole number of at least 1."],
    [{ model: "m", messages, max_tokens: "5" }, "'max_tokens' must be a whole number of at least 1."],
    [
      { model: "m", messages, max_completion_tokens: 0 },
      "'max_completion_tokens' must be a whole number of at least 1.",
    ],
    [
      { model: "m", messages, max_completion_tokens: "9" },
      "'max_completion_tokens' must be a whole number of at least 1.",
    ],
    [{ model: "m", messages, variables: [] }, "'variables' must be an object."],
    [{ model: "m", messages, variables: { a: {} } }, "'variables.a' must be a string, a number or a boolean."],
  ])("is refused for %j", (body, message) => {
    expect(() => parse(body)).toThrow(expect.objectContaining({ code: "malformed_body", message }));
  });

  it("never fails in another way, for any body", () => {
    const field = fc.constantFrom("model", "messages", "stream", "stream_options", "n", "max_tokens", "variables", "x");
    const body = fc.dictionary(field, fc.oneof(fc.jsonValue(), fc.constant("m"), fc.constant(messages)));
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
        try {
          parse(value);
        } catch (err) {
          expect(err).toMatchObject({ code: "malformed_body" });
        }
      }),
    );
  });
});
