import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EventStreamParser, EventTooLarge } from "./event-stream-parser.ts";

const eventBytesMax = 16 * 1024 * 1024;

function read(pieces: readonly Uint8Array[]) {
  const parser = new EventStreamParser(eventBytesMax);
  return [...pieces.flatMap((piece) => parser.push(Buffer.from(piece))), parser.end()]
    .filter((event) => event !== undefined)
    .map(({ name, data }) => ({ name, data: data.toString() }));
}

const text =
  ': hi\r\nid: 1\rretry: 25\nevent: message\ndata: {"a":\ndata:  "ü"}\n\ndata\n\nevent: end\ndata: 👋\n\nid\ndata: last';
const events = [
  { name: "message", data: '{"a":\n "ü"}' },
  { name: "message", data: "" },
  { name: "end", data: "👋" },
  { name: "message", data: "last" },
];

test("events are read with any line end, comments and fields without a value", () => {
  expect(read([Buffer.from(text)])).toEqual(events);
});

test("the events are the same for any split of the bytes", () => {
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

test("the last id and the reconnection time are kept", () => {
  const parser = new EventStreamParser(eventBytesMax);
  parser.push(Buffer.from("id: a\nretry: 5\ndata: x\n\nid: b\nretry: soon\n\n"));
  expect([parser.lastEventId, parser.retryMs]).toEqual(["b", 5]);
});

test("an id that a header cannot carry is ignored", () => {
  const parser = new EventStreamParser(eventBytesMax);
  parser.push(Buffer.from(`id: good\ndata: x\n\nid: \u0001\nid: ü\nid: ${"x".repeat(2_000)}\ndata: y\n\n`));
  expect(parser.lastEventId).toBe("good");
});

const mebibyte = 1024 * 1024;

test.each([
  ["a line without an end", "a".repeat(mebibyte)],
  ["an event without an end", `data: ${"a".repeat(1_000)}\n`.repeat(1_024)],
  ["an event of empty lines of data", "data\n".repeat(200_000)],
])("%s is held within a bound", (_name, piece) => {
  const parser = new EventStreamParser(4 * mebibyte);
  const pushAll = () => {
    for (let count = 0; count < 64; count += 1) parser.push(Buffer.from(piece));
  };
  expect(pushAll).toThrow(EventTooLarge);
  expect(parser.heldBytes).toBeLessThanOrEqual(4 * mebibyte);
});

test.each(["\r", "\n", "\r\n", "data\r", ":\n", "a", "data:\n\n", "id:1\r"])(
  "a run of %j is read in linear time",
  (shape) => {
    const parser = new EventStreamParser(1024 * mebibyte);
    const bytes = Buffer.from(shape.repeat(Math.ceil((2 * mebibyte) / shape.length)));
    const startedAt = performance.now();
    parser.push(bytes);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  },
);

test("a stream of very many small events fails like one large event", () => {
  const parser = new EventStreamParser(mebibyte);
  const comments = Buffer.from(":\n".repeat(10_000));
  const pushAll = () => {
    for (let count = 0; count < 100; count += 1) parser.push(comments);
  };
  expect(pushAll).toThrow(EventTooLarge);
  parser.forgetWork();
  expect(parser.push(Buffer.from("data: 1\n\n"))).toHaveLength(1);
});

test("a reader may skip whole events at the start of one, and nowhere else", () => {
  const parser = new EventStreamParser(1_000);
  parser.give(Buffer.from("data: a\r\n\r\ndata: b\n\ndata: c\n\nevent: x\n"));
  expect(parser.next()?.data.toString()).toBe("a");
  expect(parser.unread?.toString()).toBe("data: b\n\ndata: c\n\nevent: x\n");
  parser.skip("data: b\n\n".length);
  expect(parser.next()?.data.toString()).toBe("c");
  expect(parser.next()).toBeUndefined();
  parser.give(Buffer.from("data: d\n\n"));
  expect(parser.unread).toBeUndefined();
  expect(parser.next()).toMatchObject({ name: "x" });
});
