import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { SocketReads } from "./socket-reads.ts";

/** Reads of a socket without a connection, and what was passed on. */
function listen(onBytes: (reads: SocketReads, text: string) => void = () => {}) {
  const seen: string[] = [];
  const socket = new Socket();
  const reads: SocketReads = new SocketReads(socket, {
    onBytes(bytes) {
      seen.push(bytes.toString());
      onBytes(reads, bytes.toString());
    },
    onEnd: () => void seen.push("end"),
    onClose: () => void seen.push("close"),
    onFailure: (cause) => void seen.push(String(cause)),
  });
  return { socket, reads, seen };
}

test("what comes after a pause is passed on in order when reads are resumed, the end and the close behind it", async () => {
  const { socket, reads, seen } = listen();
  expect(reads.take(Buffer.from("a"))).toBe(true);
  reads.pause();
  expect(reads.take(Buffer.from("b"))).toBe(false);
  expect(reads.take(Buffer.from("c"))).toBe(false);
  socket.emit("end");
  socket.emit("close");
  await nextTurn();
  expect(seen).toEqual(["a"]);
  reads.resume();
  await nextTurn();
  expect(seen).toEqual(["a", "bc", "end", "close"]);
});

test("a pause right after a resumption keeps what is held", async () => {
  const { reads, seen } = listen();
  reads.pause();
  reads.take(Buffer.from("a"));
  reads.resume();
  reads.pause();
  await nextTurn();
  expect(seen).toEqual([]);
  reads.take(Buffer.from("b"));
  reads.resume();
  await nextTurn();
  expect(seen).toEqual(["ab"]);
});

test("an end without bytes before it comes at once, also while reads are paused", () => {
  const { socket, reads, seen } = listen();
  reads.pause();
  socket.emit("end");
  socket.emit("close");
  expect(seen).toEqual(["end", "close"]);
});

test("an exception of the listener goes to its failure, and an error of the connection too", () => {
  const { socket, reads, seen } = listen(() => {
    throw new Error("refused");
  });
  reads.take(Buffer.from("a"));
  socket.emit("error", new Error("reset"));
  expect(seen).toEqual(["a", "Error: refused", "Error: reset"]);
});
