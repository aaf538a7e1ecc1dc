import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { answer, ScriptedProvider } from "./scripted-provider.ts";

test("requests with no body, or an incomplete one, are not recorded and end no test", async () => {
  const provider = await ScriptedProvider.start();
  provider.play(answer("hello"));
  const { hostname, port } = new URL(provider.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write("POST /v1 HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
  await once(socket, "connect");
  socket.resetAndDestroy();
  expect((await fetch(provider.baseUrl)).status).toBe(400);
  const reply = await fetch(provider.baseUrl, { method: "POST", body: JSON.stringify({ model: "m" }) });
  expect(reply.status).toBe(200);
  expect(provider.received).toHaveLength(1);
  await provider.stop();
});
