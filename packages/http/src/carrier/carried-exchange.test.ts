import { Socket } from "node:net";
import { expect, test } from "vitest";
import { carrierBounds } from "./bounds.ts";
import { CarriedExchange } from "./carried-exchange.ts";
import { FrameWriter } from "./frame-writer.ts";
import { type Frame, frameKinds, replyFlags } from "./frames.ts";

class KeptFrames extends FrameWriter {
  readonly frames: Frame[] = [];

  override push(frame: Frame): void {
    this.frames.push(frame);
  }
}

function open() {
  const writer = new KeptFrames(new Socket());
  const parts: Buffer[] = [];
  const handler = { onResponseData: (_exchange: unknown, part: Buffer) => void parts.push(part) };
  const exchange = new CarriedExchange({ id: 1, handler, timeouts: {}, writer, onOver: () => {} });
  const receive = (bytes: number) =>
    exchange.receive({ kind: frameKinds.reply, flags: 0, id: 1, head: "", body: Buffer.alloc(bytes) });
  const taken = () => writer.frames.map(({ kind, head }) => (kind === frameKinds.credit ? Number(head) : -1));
  exchange.receive({ kind: frameKinds.reply, flags: replyFlags.head, id: 1, head: "[200,{}]", body: Buffer.alloc(0) });
  return { exchange, parts, receive, taken };
}

test("a stream is acknowledged in few frames, completely but for less than one frame's bytes", () => {
  const { receive, taken } = open();
  const [events, bytes] = [1_000, 200];
  for (let event = 0; event < events; event += 1) receive(bytes);
  const told = taken().reduce((sum, each) => sum + each, 0);
  expect(taken()).toHaveLength(Math.floor((events * bytes) / carrierBounds.creditBytesMin));
  expect(events * bytes - told).toBeLessThan(carrierBounds.creditBytesMin);
});

test("nothing is acknowledged while the reader is paused", () => {
  const { exchange, receive, taken } = open();
  exchange.pause();
  for (let piece = 0; piece < 4; piece += 1) receive(carrierBounds.pieceBytesMax);
  expect(taken()).toEqual([]);
  exchange.resume();
  expect(taken()).toEqual([carrierBounds.windowBytes]);
});

test("a small part of a stream does not hold the read that it came in", () => {
  const { exchange, parts } = open();
  const body = Buffer.alloc(carrierBounds.pieceBytesMax, "x").subarray(0, 100);
  exchange.receive({ kind: frameKinds.reply, flags: 0, id: 1, head: "", body });
  expect(parts).toEqual([body]);
  expect(parts[0]?.buffer.byteLength).toBeLessThan(carrierBounds.pieceBytesMax / 10);
});
