import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rememberWireText, wireFields } from "../../../domain/completion.ts";
import { splitJsonFields } from "../../../domain/json-fields.ts";
import { parseWrapperRequest } from "../../../domain/wrapper-request.ts";
import { encodeRequest } from "./encode-request.ts";

describe("a request on OpenAI's wire", () => {
  it("has the managed fields in place of its own", () => {
    const request = { model: "alias", messages: [], stream: false, stream_options: {}, seed: 1 };
    expect(JSON.parse(encodeRequest(request, { model: "m" }))).toEqual({ model: "m", messages: [], seed: 1 });
    expect(JSON.parse(encodeRequest(request, { model: "m", stream: true, stream_options: { a: 1 } }))).toEqual({
      model: "m",
      messages: [],
      stream: true,
      stream_options: { a: 1 },
      seed: 1,
    });
  });

  it("sends numbers that JavaScript cannot hold as they were written", () => {
    const text =
      '{"model":"alias","messages":[{"role":"user","content":"x","n":1.0}],"seed":12345678901234567890,"x":1e400}';
    const { messages, parameters } = parseWrapperRequest(JSON.parse(text), text);
    const request = { ...parameters, model: "m", messages, [wireFields]: parameters?.[wireFields] };
    expect(encodeRequest(request, { model: "m" })).toBe(
      '{"seed":12345678901234567890,"x":1e400,"model":"m","messages":[{"role":"user","content":"x","n":1.0}]}',
    );
  });

  it("encodes anew what has been changed", () => {
    const messages = rememberWireText([{ role: "user", content: "secret" }], '[{"role":"user","content":"secret"}]');
    const masked = messages.map(() => ({ role: "user", content: "*" }));
    expect(encodeRequest({ messages: masked }, { model: "m" })).not.toContain("secret");
  });

  it("passes every unknown field byte for byte", () => {
    const name = fc.string({ minLength: 1 }).filter((key) => !managed.has(key));
    const space = fc.constantFrom<string | number | undefined>(undefined, 1, "\t");
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), space, (unknown, indent) => {
        const text = JSON.stringify(
          { model: "a", messages: [{ role: "user", content: "x" }], ...unknown },
          null,
          indent,
        );
        const { messages, parameters } = parseWrapperRequest(JSON.parse(text), text);
        const request = { ...parameters, model: "m", messages, [wireFields]: parameters?.[wireFields] };
        const sent = splitJsonFields(encodeRequest(request, { model: "m" }));
        const written = splitJsonFields(text);
        for (const [key, value] of written) if (key !== "model") expect(sent.get(key)).toBe(value);
        expect(sent.size).toBe(written.size);
      }),
    );
  });
});

/** What the gateway reads, checks or sets itself. */
const managed: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "variables",
  "n",
  "max_tokens",
  "max_completion_tokens",
]);
