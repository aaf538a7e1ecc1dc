import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection on which a test writes what it likes, and reads what comes. */
export interface RawClient {
  readonly socket: Socket;
  write(text: string | Buffer): void;
  /** Bytes received so far, as text. */
  received(): string;
  /** Resolves when what has come matches. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with all that came when the connection has ended. */
  closed(): Promise<string>;
}

export async function connectRaw(port: number): Promise<RawClient> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received: () => text,
    async until(pattern) {
      while (!pattern.test(text)) {
        if (socket.closed) throw new Error(`The connection ended after: ${JSON.stringify(text)}`);
        await Promise.race([new Promise((resolve) => socket.once("data", resolve)), closed]);
      }
      return text;
    },
    async closed() {
      await closed;
      return text;
    },
  };
}
