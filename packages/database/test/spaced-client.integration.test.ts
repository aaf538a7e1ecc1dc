import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";
import { expect, test } from "vitest";
import { spaceAttempts } from "../src/spaced-client.ts";

/** A message of the protocol (PostgreSQL documentation, 54.7). */
function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + length.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const authenticated = message("R", Buffer.alloc(4));
const done = message("C", Buffer.from("SELECT 0\0"));
const ready = message("Z", Buffer.from("I"));

test("a session that cannot be prepared is closed, also at a server that answers nothing after that", async () => {
  const sockets = new Set<Socket>();
  // Half-open: it does not end a connection because its client has.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    let messages = 0;
    socket
      .on("error", () => {})
      .on("data", () => {
        messages += 1;
        if (messages === 1) socket.write(Buffer.concat([authenticated, ready]));
        if (messages === 2) socket.write(Buffer.concat([done, ready]));
      });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const pool = new pg.Pool({
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    user: "u",
    password: "p",
    max: 1,
    ...spaceAttempts(async (client) => {
      await client.query("SELECT");
      throw new Error("It takes no writes.");
    }),
  });
  const closed = new Promise<void>((resolve) => {
    server.once("connection", (socket) => void socket.once("close", () => resolve()));
  });
  await expect(pool.query("SELECT 1")).rejects.toThrow("It takes no writes.");
  expect(pool.totalCount).toBe(0);
  for (const socket of sockets) socket.end();
  await closed;
  await pool.end();
  server.close();
});
