import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { createSilentTelemetry, untraced } from "@gatehouse/telemetry";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createControlMcpHandler } from "../src/http/control-mcp.ts";
import { admin, call, send, startControlPlane, type TestControlPlane } from "./control-plane.ts";

const gatewayLog = createRecordingGatewayLog();

let plane: TestControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ gatewayLog });
});
afterAll(async () => await plane.stop());

test("each request to the Control Plane is recorded once, without its arguments", async () => {
  const recordOf = async (work: () => Promise<unknown>) => {
    const before = gatewayLog.entries.length;
    await work();
    return gatewayLog.entries.slice(before);
  };
  const admin_key = "initial";
  const secret = "sk-a-provider-key";
  expect(await recordOf(async () => await call(plane.service, "svc_create_token", { name: secret }))).toEqual([
    expect.objectContaining({
      route: "control_mcp",
      status: 200,
      error: "Missing required argument: project",
      errorCode: "invalid_argument",
      details: { admin_key, method: "tools/call", operation: "svc_create_token" },
    }),
  ]);
  const batch = JSON.stringify(
    [1, 2].map((id) => {
      return { jsonrpc: "2.0", id, method: "tools/list" };
    }),
  );
  const entries = await recordOf(async () => await send(plane.service, { body: batch }));
  expect(entries).toEqual([
    expect.objectContaining({ status: 200, details: { admin_key, method: "tools/list", calls: 2 } }),
  ]);
  expect(entries[0]?.error).toBeUndefined();
  const refused = ["{", "[]", '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'];
  for (const body of refused) {
    const error = expect.stringMatching(/^Parse error|^Invalid request|twice/) as string;
    expect(await recordOf(async () => await send(plane.service, { body }))).toMatchObject([
      { error, errorCode: "malformed_body" },
    ]);
  }
  expect(await recordOf(async () => await send(plane.service, { method: "PUT", body: "{}" }))).toEqual([
    expect.objectContaining({ status: 405, errorCode: "method_not_allowed" }),
  ]);
  expect(JSON.stringify(gatewayLog.entries)).not.toContain(secret);
});

test("a request whose client leaves before the reply is recorded as 499", async () => {
  const log = createRecordingGatewayLog();
  const called = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const dispatch = async () => {
    called.resolve();
    return await left.promise;
  };
  const body = { sizeBytesMax: 1_000, timeoutMs: 5_000 };
  const handler = createControlMcpHandler(dispatch, body, log, createSilentTelemetry().log);
  const server = createServer((req, res) => {
    res.once("close", () => left.resolve());
    const span = untraced.start("test", { kind: "server" });
    void handler(req, res, { principal: admin, requestId: "r", ipAddress: "127.0.0.1", span });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const abort = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/control/mcp`;
  const request = fetch(url, {
    method: "POST",
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    signal: abort.signal,
  });
  await called.promise;
  abort.abort();
  await expect(request).rejects.toThrow("aborted");
  await expect
    .poll(() => log.entries)
    .toMatchObject([{ status: 499, errorCode: "cancelled", details: { method: "ping" } }]);
  server.close();
});
