import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { isGatewayError } from "@gatehouse/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJsonBody, readBody } from "./body.ts";

/** The value of a small body, which is returned without a promise. */
function parse(...given: Parameters<typeof parseJsonBody>): unknown {
  const parsed = parseJsonBody(...given);
  if (parsed instanceof Promise) throw new Error("A small body is parsed at once.");
  return parsed.value;
}

test("JSON text in UTF-8 is parsed, with and without a byte order mark", () => {
  const text = '{"name":"Grüße 👋"}';
  expect(parse(Buffer.from(text))).toEqual({ name: "Grüße 👋" });
  expect(parse(Buffer.from(`\u{feff}${text}`))).toEqual({ name: "Grüße 👋" });
});

test("only one byte order mark is taken off", () => {
  expect(() => parse(Buffer.from("\u{feff}\u{feff}{}"))).toThrow("not valid JSON");
});

test.each([
  ["nothing", Buffer.alloc(0), "Request body is empty; send a JSON object."],
  ["a byte order mark alone", Buffer.from("\u{feff}"), "Request body is not valid JSON"],
  ["a lone continuation byte", Buffer.from([0x22, 0x80, 0x22]), "Request body is not valid UTF-8."],
  ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "Request body is not valid UTF-8."],
  ["UTF-16", Buffer.from('{"a":1}', "utf16le"), "Request body is not valid JSON"],
  ["a cut text", Buffer.from('{"a":'), "Request body is not valid JSON"],
])("%s is malformed", (_name, body, message) => {
  expect(() => parse(body)).toThrow(expect.objectContaining({ code: "malformed_body" }));
  expect(() => parse(body)).toThrow(message);
});

test("the message names the place and quotes nothing of the body", () => {
  expect(() => parse(Buffer.from('{"password":"hunter2",}'))).toThrow(
    /^Request body is not valid JSON \(at character 22\)\.$/,
  );
  expect(() => parse(Buffer.from("hunter2"))).toThrow(/^Request body is not valid JSON[^h]*\.$/);
});

test.each([200, 200_000])("a text that is nested %d levels deep is refused", async (depth) => {
  const body = Buffer.from("[".repeat(depth) + "]".repeat(depth));
  await expect((async () => await parseJsonBody(body))()).rejects.toThrow(
    "Request body must not be nested more than 128 levels deep.",
  );
});

test("a large body is parsed in slices, to the same value and with the same refusals", async () => {
  const value = Array.from({ length: 20_000 }, (_, at) => ({ at, text: `é${at}` }));
  const text = JSON.stringify(value);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  expect(await parseJsonBody(Buffer.from(`\u{feff}${text}`))).toEqual({ value });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  for (const [broken, message] of [
    [`${text.slice(0, -1)},{"a":1,"A":2}]`, "differ in case only"],
    [`${text.slice(0, -1)},]`, "is not valid JSON"],
    [`${text} 1`, "is not valid JSON"],
  ] as const) {
    const parsing = (async () => await parseJsonBody(Buffer.from(broken)))();
    await expect(parsing).rejects.toThrow(expect.objectContaining({ code: "malformed_body" }));
    await expect(parsing).rejects.toThrow(message);
  }
  await expect((async () => await parseJsonBody(Buffer.alloc(100_000, 0x80)))()).rejects.toThrow("not valid UTF-8");
});

test("keys that parsers read differently are refused, as strictly as the caller asks", () => {
  const [same, cased] = [Buffer.from('{"a":1,"\\u0061":2}'), Buffer.from('{"a":1,"A":2}')];
  expect(() => parse(same)).toThrow("Request body must not have the same key twice in one object.");
  expect(() => parse(cased)).toThrow('two keys in one object that differ in case only: "A"');
  const logged = { loggedMessage: "Request body must not have two keys in one object that differ in case only." };
  expect(() => parse(cased)).toThrow(expect.objectContaining(logged));
  expect(() => parse(same, { keys: "distinct" })).toThrow("the same key twice");
  expect(parse(cased, { keys: "distinct" })).toEqual({ a: 1, A: 2 });
});

test("any JSON value is parsed unchanged", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parse(Buffer.from(text), { keys: "any" })).toEqual(JSON.parse(text));
    }),
  );
});

test("any bytes give a parsed value or a malformed_body error", () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.json().chain(damaged));
  fc.assert(
    fc.property(bytes, (body) => {
      try {
        parse(Buffer.from(body));
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

test("a request keeps nothing of a body that was read", async () => {
  const req = Object.assign(Readable.from([Buffer.from("body")]), { headers: {} }) as unknown as IncomingMessage;
  expect(String(await readBody(req, { sizeBytesMax: 10, timeoutMs: 1_000 }))).toBe("body");
  expect(["data", "end", "error", "close"].map((name) => req.listenerCount(name))).toEqual([0, 0, 0, 0]);
});
