import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { connect, type Socket } from "node:net";
import { asksToCarry, CarriedConnections } from "./carrier/carried-connections.ts";

export interface RawClient {
  readonly socket: Socket;
  write(text: string | Buffer): void;
  received(): string;
  receivedBytes(): number;
  /** Resolves when the received text matches. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with all received text when the connection has ended; `broken` when it was reset, or cut before the end. */
  closed(): Promise<{ readonly text: string; readonly broken: boolean }>;
}

export async function connectRaw(port: number): Promise<RawClient> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  let broken = false;
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.on("error", () => (broken = true));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received: () => text,
    receivedBytes: () => text.length,
    async until(pattern) {
      while (!pattern.test(text)) {
        if (socket.closed) throw new Error(`The connection ended after: ${JSON.stringify(text)}`);
        await Promise.race([new Promise((resolve) => socket.once("data", resolve)), closed]);
      }
      return text;
    },
    async closed() {
      await closed;
      return { text, broken };
    },
  };
}

export function isWholeChunked(text: string): boolean {
  return text.endsWith("\r\n0\r\n\r\n");
}

/** Makes a plain Node server carry calls too. @returns the number of connections that do */
export function carryCalls(server: Server, listener: RequestListener): () => number {
  const carried = new CarriedConnections(listener);
  let count = 0;
  server.on("upgrade", (req, stream, head) => {
    // node:http passes sockets of node:net.
    const socket = stream as Socket;
    if (!asksToCarry(req)) return void socket.destroy();
    count += 1;
    return carried.take(socket, head);
  });
  return () => count;
}
