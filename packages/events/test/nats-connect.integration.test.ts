import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { Secret } from "@gatehouse/vault";
import { afterEach, expect, test } from "vitest";
import { createBrokerUser } from "../src/broker-user.ts";
import { connectToNats } from "../src/nats-connect.ts";

let server: Server | undefined;
afterEach(() => void server?.close());

/** A broker that knows no user (NATS client protocol, INFO and -ERR). */
async function startRefusing(): Promise<string> {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(`INFO ${JSON.stringify({ server_id: "x", version: "2.12.0", max_payload: 1, nonce: "n" })}\r\n`);
    socket.once("data", () => socket.end("-ERR 'Authorization Violation'\r\n"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a refused connection names the setting of the credentials that it used", async () => {
  const url = await startRefusing();
  const { seed: nkeySeed } = createBrokerUser();
  await expect(connectToNats({ url: new Secret(url), nkeySeed }, "chat")).rejects.toThrow(
    /Authorization Violation.*NATS_NKEY_SEED/,
  );
  await expect(connectToNats({ url: new Secret(url.replace("//", "//user:p@")) }, "chat")).rejects.toThrow(
    /Authorization Violation.*NATS_URL/,
  );
});
