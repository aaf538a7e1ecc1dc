import type { Side } from "@gatehouse/guardrail-client";
import { runAtOnce } from "@gatehouse/pace";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isEventStreamType, isReadableType, readBodyTextsInSteps, UnreadableBody } from "./readable-body.ts";

const read = (body: string | Buffer, contentType?: string, side: Side = "input") =>
  runAtOnce(readBodyTextsInSteps({ bytes: Buffer.from(body), contentType, side }));
const textsOf = (...parts: Parameters<typeof read>) => read(...parts).segments.map(({ text }) => text);

describe("the texts of a body", () => {
  test.each([
    ["application/json", '{"a":["x\\u0079",4.1e3],"b":null}', ["a", "xy", "4100", "b"]],
    ["application/vnd.api+json; charset=UTF-8", '["x"]', ["x"]],
    ["application/x-www-form-urlencoded", "a=%66alcon+x&b&c=", ["a", "falcon x", "b", "c"]],
    ["text/plain", "falcon", ["falcon"]],
    ["application/xml", "<a>falcon</a>", ["<a>falcon</a>"]],
    [undefined, "falcon", ["falcon"]],
    ["multipart/form-data; boundary=x", "--x\r\n\r\nfalcon\r\n--x--", ["--x\r\n\r\nfalcon\r\n--x--"]],
    ["text/plain", "", []],
    ["application/x-ndjson", '{"a":"f\\u0061lcon"}\n\r\n[1]\n', ["a", "falcon", "1"]],
    ["application/x-jsonlines", '{"a":"f\\u0061lcon"}\n[1]', ["a", "falcon", "1"]],
    ["application/json-seq", '\x1e{"a":\n"f\\u0061lcon"}\n\x1e[1]\n', ["a", "falcon", "1"]],
    ["application/geo+json-seq", '\x1e"x"\n', ["x"]],
    ["application/x-javascript", "f('falcon')", ["f('falcon')"]],
    ["application/ecmascript", "f('falcon')", ["f('falcon')"]],
    ["message/rfc822", "Subject: falcon\r\n\r\nfalcon", ["Subject: falcon\r\n\r\nfalcon"]],
  ])("of type %s: %j", (type, body, texts) => {
    expect(textsOf(body, type)).toEqual(texts);
  });
});

test.each([
  ["text/event-stream", true],
  ["Text/Event-Stream; charset=utf-8", true],
  ["text/event-stream, text/event-stream", true],
  ["application/json; charset=utf-8,text/event-stream", true],
  ['text/plain; title="a,text/event-stream"', false],
  ["application/json", false],
  ["application/json-seq", false],
  ["application/x-javascript", false],
  ["application/rtf", false],
  ["message/rfc822", false],
  [undefined, false],
])("a body of type %s is a stream of events: %s", (type, isStream) => {
  expect(isEventStreamType(type)).toBe(isStream);
  expect(isReadableType(type)).toBe(true);
});

describe("a body that cannot be judged is refused", () => {
  test.each([
    ["a form of signs only", "application/x-www-form-urlencoded", "&".repeat(1_000_000)],
    ["a binary type", "image/png", "x"],
    ["an unknown type", "application/octet-stream", "x"],
    ["bytes that are no UTF-8", "text/plain", Buffer.from([0x66, 0xff])],
    ["NUL, as UTF-16 has it", "text/plain", "f\0a\0"],
    ["another character set", "text/plain; charset=utf-7", "+AGY-"],
    ["malformed JSON", "application/json", "{a:1}"],
    ["malformed JSON on a line", "application/jsonl", "{}\n{a:1}"],
    ["equal keys on a line", "application/jsonl", '{}\n{"a":1,"a":2}'],
    ["equal keys", "application/json", '{"a":1,"a":2}'],
    ["keys that differ in case", "application/json", '{"a":1,"A":2}'],
    ["a form that is not UTF-8", "application/x-www-form-urlencoded", "a=%ff"],
    ["an encoded part", "multipart/form-data; boundary=x", "--x\r\nContent-Transfer-Encoding: base64\r\n\r\nZmFsY29u"],
    [
      "a part in another character set",
      "multipart/mixed; boundary=x",
      "--x\r\nContent-Type: text/plain; charset=utf-16\r\n\r\nx",
    ],
    ["a mail with an encoded header", "message/rfc822", "Subject: =?utf-8?B?ZmFsY29u?=\r\n\r\nx"],
    ["an encoded mail", "message/rfc822", "Content-Transfer-Encoding: quoted-printable\r\n\r\nfal=\r\ncon"],
    ["rich text", "application/rtf", String.raw`{\rtf1 fal\b con}`],
    ["rich text as text", "text/rtf", String.raw`{\rtf1 fal\b con}`],
    ["malformed JSON in a sequence", "application/json-seq", '\x1e{"a":\x1e{}'],
    ["equal keys in a sequence", "application/json-seq", '\x1e{}\n\x1e{"a":1,"a":2}\n'],
    ["an XML entity", "text/xml", '<!DOCTYPE a [<!ENTITY b "fal">]><a>&b;con</a>'],
    ["XML in another encoding", "application/soap+xml", '<?xml version="1.0" encoding="utf-7"?><a/>'],
  ])("%s", (_name, type, body) => {
    expect(() => textsOf(body, type)).toThrow(UnreadableBody);
  });
});

test("a reply may have duplicate keys: all their values are judged", () => {
  expect(textsOf('{"a":"x","a":"y"}', "application/json", "output")).toEqual(["a", "x", "a", "y"]);
});

test("the pieces of a form are its names and values, with or without replacements", () => {
  const name = fc.string({ minLength: 1 }).map((text) => text.toWellFormed());
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name)), (pairs) => {
      const form = new URLSearchParams(pairs).toString();
      const { segments, replace } = read(form, "application/x-www-form-urlencoded");
      expect(segments.map(({ text }) => text)).toEqual(pairs.flat());
      expect(runAtOnce(replace(segments.map(({ text }) => text))).toString()).toBe(form);
      const masked = runAtOnce(replace(segments.map(() => "[E-Mail] &=+"))).toString();
      expect([...new URLSearchParams(masked)].flat()).toEqual(pairs.flat().map(() => "[E-Mail] &=+"));
    }),
  );
});
