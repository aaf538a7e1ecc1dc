import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EventStreamParser, type ServerEvent } from "./event-stream-parser.ts";

function read(pieces: readonly Uint8Array[]): readonly (ServerEvent | undefined)[] {
  const parser = new EventStreamParser();
  return [...pieces.flatMap((piece) => parser.push(Buffer.from(piece))), parser.end()].filter(
    (event) => event !== undefined,
  );
}

const text =
  ': hi\r\nid: 1\rretry: 25\nevent: message\ndata: {"a":\ndata:  "ü"}\n\ndata\n\nevent: end\ndata: 👋\n\nid\ndata: last';
const events = [
  { name: "message", data: '{"a":\n "ü"}' },
  { name: "message", data: "" },
  { name: "end", data: "👋" },
  { name: "message", data: "last" },
];

test("events are read with every kind of line end, comments and fields without a value", () => {
  expect(read([Buffer.from(text)])).toEqual(events);
});

test("however the bytes are cut, the events are the same", () => {
  const bytes = Buffer.from(text);
  const cuts = fc.array(fc.nat(bytes.length), { maxLength: 20 });
  fc.assert(
    fc.property(cuts, (places) => {
      const bounds = [0, ...places.sort((a, b) => a - b), bytes.length];
      const pieces = bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
      expect(read(pieces)).toEqual(events);
    }),
  );
});

test("the last id and the time before a resumption are kept", () => {
  const parser = new EventStreamParser();
  parser.push(Buffer.from("id: a\nretry: 5\ndata: x\n\nid: b\nretry: soon\n\n"));
  expect([parser.lastEventId, parser.retryMs]).toEqual(["b", 5]);
});

test("a line without an end is not kept without bound", () => {
  const parser = new EventStreamParser();
  const piece = Buffer.alloc(1024 * 1024, 0x61);
  expect(() => {
    for (let count = 0; count < 17; count += 1) parser.push(piece);
  }).toThrow(RangeError);
});
