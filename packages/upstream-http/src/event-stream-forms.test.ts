import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventStreamParser, EventTooLarge } from "./event-stream-parser.ts";

function parse(...pieces: readonly (string | Buffer)[]): { name: string; data: string }[] {
  const parser = new EventStreamParser(1024 * 1024);
  const events = pieces.flatMap((piece) => parser.push(Buffer.from(piece)));
  const last = parser.end();
  return (last === undefined ? events : [...events, last]).map(({ name, data }) => ({ name, data: data.toString() }));
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe("EventStreamParser", () => {
  it("reads events with LF, CRLF and CR line ends", () => {
    const expected = [
      { name: "message", data: "a" },
      { name: "message", data: "b" },
    ];
    for (const end of ["\n", "\r\n", "\r"]) {
      expect(parse(`data: a${end}${end}data:b${end}${end}`)).toEqual(expected);
    }
  });

  it("joins several data lines, and applies an event's name to that event only", () => {
    expect(parse("event: error\ndata: a\ndata: b\n\ndata: c\n\n")).toEqual([
      { name: "error", data: "a\nb" },
      { name: "message", data: "c" },
    ]);
  });

  it("skips comments, unknown fields, a byte order mark and events without data", () => {
    expect(parse("\uFEFF: keep-alive\n\nid: 7\nretry: 10\nother\n\nevent: ping\n\ndata: a\n\n")).toEqual([
      { name: "message", data: "a" },
    ]);
  });

  it("gives a last event that lacks its empty line", () => {
    expect(parse("data: a\n\ndata: [DO", "NE]")).toEqual([
      { name: "message", data: "a" },
      { name: "message", data: "[DONE]" },
    ]);
  });

  it("keeps a line feed apart from a carriage return at the end of the previous read", () => {
    expect(parse("data: a\r", "\n\r", "\ndata: b\r\n\r\n")).toHaveLength(2);
  });

  it("refuses a line that is too long", () => {
    const parser = new EventStreamParser(10);
    parser.push(Buffer.from("data: 12"));
    expect(() => parser.push(Buffer.from("34567"))).toThrow(EventTooLarge);
  });

  it("gives the same events for any split of the bytes", () => {
    const line = fc.oneof(
      fc.constantFrom("", "data: ", "event: error", ": ping", "data", "id: 1", 'data: {"a":"😀é漢"}'),
      fc.string({ unit: "binary" }).map((text) => `data: ${text}`),
    );
    const text = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r"))).map((lines) => lines.flat().join(""));
    const bytes = fc.oneof(
      text.map((value) => Buffer.from(value)),
      fc.uint8Array({ maxLength: 60 }).map((value) => Buffer.from(value)),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat()), (whole, cuts) => {
        expect(parse(...split(whole, cuts))).toEqual(parse(whole));
      }),
      { numRuns: 500, seed: 12 },
    );
  }, 30_000);
});
