import { expect, test } from "vitest";
import { EventBound } from "./event-bound.ts";
import { wholeReplyBytesMax } from "./read-whole-reply.ts";

const piece = Buffer.from("data: a\n".repeat(2_048));
const pieces = Math.ceil(wholeReplyBytesMax / piece.length) + 1;

function see(bound: EventBound, count: number): void {
  for (let at = 0; at < count; at += 1) bound.see(piece);
}

test("an event without an end is refused, with any lines", () => {
  const bound = new EventBound("acme");
  expect(() => see(bound, pieces)).toThrow(`acme sent an event of more than ${wholeReplyBytesMax} bytes`);
});

test.each([["\n\n"], ["\r\n\r\n"], ["\r\r"]])("a blank line ends an event, also across pieces: %j", (end) => {
  const bound = new EventBound("acme");
  for (const [first, second] of Array.from({ length: end.length + 1 }, (_, at) => [end.slice(0, at), end.slice(at)])) {
    see(bound, pieces - 2);
    bound.see(Buffer.from(`a${first}`));
    bound.see(Buffer.from(second ?? ""));
  }
});
