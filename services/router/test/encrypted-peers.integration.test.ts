import { createTestCertificates } from "@gatehouse/certificates/testing";
import { isCarried, startHttpServer } from "@gatehouse/http";
import { serviceOfConnection } from "@gatehouse/trust";
import { request } from "undici";
import { expect, test } from "vitest";
import { forwardToService, openServicePeers } from "../src/clients/service-peers.ts";

test("requests share a connection on which both sides have shown their certificates", async () => {
  const certificates = createTestCertificates();
  const openers: (string | undefined)[] = [];
  const admits = ({ socket }: Parameters<typeof isCarried>[0]) => {
    openers.push(serviceOfConnection(socket));
    return true;
  };
  const back = await startHttpServer((req, res) => void res.end(String(isCarried(req))), {
    host: "127.0.0.1",
    port: 0,
    upgrades: true,
    tls: certificates.of("chat"),
    carrying: { admits },
  });
  const url = `https://127.0.0.1:${back.port}`;
  const tls = certificates.of("router");
  const peers = openServicePeers({
    service: "chat",
    url,
    connectionsMax: 4,
    tls,
    isCarrying: true,
  });
  const options = { path: "/", headers: {}, headersTimeoutMs: 5_000, bodyTimeoutMs: 5_000 };
  const front = await startHttpServer((req, res) => void forwardToService(req, res, { peers, options }), {
    host: "127.0.0.1",
    port: 0,
  });
  const ask = async () => {
    const reply = await request(`http://127.0.0.1:${front.port}/`, { method: "POST", body: "{}" });
    return await reply.body.text();
  };
  await expect.poll(ask, { timeout: 5_000 }).toBe("true");
  expect(openers).toEqual(["router"]);
  await front.stop(0);
  peers.close();
  await back.stop(1_000);
});
