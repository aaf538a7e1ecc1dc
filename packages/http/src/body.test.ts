import { isGatewayError } from "@gatehouse/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJsonBody } from "./body.ts";

test("JSON text in UTF-8 is parsed, with and without a byte order mark", () => {
  const text = '{"name":"Grüße 👋"}';
  expect(parseJsonBody(Buffer.from(text))).toEqual({ name: "Grüße 👋" });
  expect(parseJsonBody(Buffer.from(`\u{feff}${text}`))).toEqual({ name: "Grüße 👋" });
});

test("only one byte order mark is taken off", () => {
  expect(() => parseJsonBody(Buffer.from("\u{feff}\u{feff}{}"))).toThrow("not valid JSON");
});

test.each([
  ["nothing", Buffer.alloc(0), "Request body is empty; send a JSON object."],
  ["a byte order mark alone", Buffer.from("\u{feff}"), "Request body is not valid JSON"],
  ["a lone continuation byte", Buffer.from([0x22, 0x80, 0x22]), "Request body is not valid UTF-8."],
  ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "Request body is not valid UTF-8."],
  ["UTF-16", Buffer.from('{"a":1}', "utf16le"), "Request body is not valid JSON"],
  ["a cut text", Buffer.from('{"a":'), "Request body is not valid JSON"],
])("%s is malformed", (_name, body, message) => {
  expect(() => parseJsonBody(body)).toThrow(expect.objectContaining({ code: "malformed_body" }));
  expect(() => parseJsonBody(body)).toThrow(message);
});

test("the message tells the place and quotes nothing of the body", () => {
  expect(() => parseJsonBody(Buffer.from('{"password":"hunter2",}'))).toThrow(
    /^Request body is not valid JSON \(at character 22\)\.$/,
  );
  expect(() => parseJsonBody(Buffer.from("hunter2"))).toThrow(/^Request body is not valid JSON[^h]*\.$/);
});

test("a text that is nested very deeply is refused", () => {
  const depth = 200_000;
  const body = Buffer.from("[".repeat(depth) + "]".repeat(depth));
  expect(() => parseJsonBody(body)).toThrow("Request body must not be nested more than 128 levels deep.");
});

test("keys that parsers read differently are refused, as far as the caller asks", () => {
  const [same, cased] = [Buffer.from('{"a":1,"\\u0061":2}'), Buffer.from('{"a":1,"A":2}')];
  expect(() => parseJsonBody(same)).toThrow("Request body must not have the same key twice in one object.");
  expect(() => parseJsonBody(cased)).toThrow('two keys in one object that differ in case only: "A"');
  expect(() => parseJsonBody(same, { keys: "distinct" })).toThrow("the same key twice");
  expect(parseJsonBody(cased, { keys: "distinct" })).toEqual({ a: 1, A: 2 });
});

test("any JSON value comes back as it was", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJsonBody(Buffer.from(text), { keys: "any" })).toEqual(JSON.parse(text));
    }),
  );
});

test("any bytes give a parsed value or an error of ours", () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.json().chain(damaged));
  fc.assert(
    fc.property(bytes, (body) => {
      try {
        parseJsonBody(Buffer.from(body));
      } catch (err) {
        expect(isGatewayError(err) && err.code).toBe("malformed_body");
      }
    }),
    { numRuns: 1_000 },
  );
});

/** JSON text with one byte changed. */
function damaged(text: string): fc.Arbitrary<Uint8Array> {
  const bytes = Buffer.from(text);
  return fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)).map(([at, byte]) => bytes.with(at, byte));
}
