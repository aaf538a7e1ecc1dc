import { expect, test } from "vitest";
import { carrierBounds } from "./bounds.ts";
import { encodeFrames, frameKinds, FrameReader, type ReadFrame, replyFlags } from "./frames.ts";

const frames = [
  { kind: frameKinds.call, id: 1, head: '["POST","/",{}]', body: Buffer.from("{}") },
  { kind: frameKinds.reply, flags: replyFlags.head, id: 2 ** 32 - 1, head: '[200,{"x":"é"}]', body: "größer" },
  { kind: frameKinds.cancel, id: 3 },
  { kind: frameKinds.reply, flags: replyFlags.end, id: 4, body: Buffer.alloc(carrierBounds.pieceBytesMax, "y") },
  { kind: frameKinds.drain },
];

const asRead = frames.map(({ kind, flags = 0, id = 0, head = "", body = "" }) => {
  return { kind, flags, id, head, body: body.toString() };
});

function readAll(bytes: Buffer, pieceBytes: number): object[] {
  const reader = new FrameReader();
  const read: object[] = [];
  const take = (frame: ReadFrame) => void read.push({ ...frame, body: frame.body.toString() });
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.read(bytes.subarray(at, at + pieceBytes), take);
  return read;
}

test.each([1, 3, 13, 14, 15, 1_000, 65_536, 1_000_000])(
  "frames are read whole from pieces of %i bytes",
  (pieceBytes) => {
    expect(readAll(encodeFrames(frames), pieceBytes)).toEqual(asRead);
  },
);

test("a frame beyond the bound is refused by its size alone", () => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(carrierBounds.frameBytesMax + 1);
  expect(() => readAll(size, 4)).toThrow(/bytes/);
});

test("a frame that is too small for its fields is refused", () => {
  expect(() => readAll(Buffer.from([0, 0, 0, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0]), 13)).toThrow(/bytes/);
});

test("a frame that is shorter than its head is refused", () => {
  const bytes = encodeFrames([{ kind: frameKinds.call, id: 1, head: "[]" }]);
  bytes.writeUInt32BE(3, 10);
  expect(() => readAll(bytes, bytes.length)).toThrow(/head/);
});

test("the largest request with the largest head fits a frame", () => {
  const head = "x".repeat(32 * 1024);
  const body = Buffer.alloc(carrierBounds.requestBytesMax);
  expect(readAll(encodeFrames([{ kind: frameKinds.call, id: 1, head, body }]), 65_536)).toHaveLength(1);
});
