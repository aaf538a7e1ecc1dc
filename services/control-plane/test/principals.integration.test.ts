import { hashToken } from "@gatehouse/principal";
import { PrincipalServiceDefinition, type WatchPrincipalsResponse } from "@gatehouse/proto/control-plane";
import { openRpcChannel, type RpcChannel, type RpcClient, type RpcServer, startRpcServer } from "@gatehouse/rpc";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

type Principals = RpcClient<typeof PrincipalServiceDefinition>;

const trust = createTestTrust();
let plane: TestControlPlane;
/** Another replica on the same database. */
let replica: TestControlPlane;
let server: RpcServer;
let channel: RpcChannel;
let overGrpc: Principals;

beforeAll(async () => {
  plane = await startControlPlane();
  replica = await startControlPlane({ databaseUrl: plane.databaseUrl });
  const { log } = createSilentTelemetry();
  server = await startRpcServer({
    bindings: plane.service.rpc,
    trust: trust.of("control-plane"),
    log,
    address: "127.0.0.1:0",
  });
  const address = `127.0.0.1:${server.port}`;
  channel = openRpcChannel({ address, target: "control-plane", trust: trust.of("router"), timeoutMs: 5_000 });
  overGrpc = channel.client(PrincipalServiceDefinition);
});

afterAll(async () => {
  channel.close();
  await server.stop(1_000);
  await replica.stop();
  await plane.stop();
});

async function createToken(): Promise<{ id: number; token: string; project: string }> {
  const args = { name: "p", project_type: "ai_gateway" };
  const { uuid } = await run<{ uuid: string }>(plane.service, "svc_create_project", args);
  return await run(plane.service, "svc_create_token", { project: uuid, name: "t", scopes: ["mcp"] });
}

/** Reads a watch until the wanted change; the test's own time limit bounds it. */
async function nextOf(changes: AsyncIterator<WatchPrincipalsResponse>, wanted: WatchPrincipalsResponse["subject"]) {
  for (;;) {
    const { value, done } = await changes.next();
    if (done === true) throw new Error("The watch ended.");
    if (JSON.stringify(value.subject) === JSON.stringify(wanted)) return;
  }
}

describe.each([
  ["in process", () => plane.principals],
  ["over gRPC", () => overGrpc],
  ["of another replica", () => replica.principals],
])("principals %s", (_way, client) => {
  test("a token is resolved with all its members", async () => {
    const { id, token, project } = await createToken();
    const { principal } = await client().resolveToken({ tokenHash: hashToken(token) });
    expect(principal).toMatchObject({
      tokenId: id,
      scopes: ["mcp"],
      tokenRateLimits: {},
      project: { uuid: project, projectType: "ai_gateway", rateLimits: { perMinute: 600, perHour: 20_000 } },
    });
    expect(principal?.tokenRateLimits?.perMinute).toBeUndefined();
    expect((await client().resolveToken({ tokenHash: hashToken("nobody") })).principal).toBeUndefined();
  });

  test("an admin key is resolved", async () => {
    const [key = ""] = plane.adminKeys;
    const { adminKey } = await client().resolveAdminKey({ keyHash: hashToken(key), ipAddress: "::1" });
    expect(adminKey).toEqual({ id: expect.any(Number), name: "initial", role: "owner" });
    expect((await client().resolveAdminKey({ keyHash: hashToken("x"), ipAddress: "" })).adminKey).toBeUndefined();
  });

  test("a watch begins with an empty message, then names every change", async () => {
    const { id, project } = await createToken();
    const abort = new AbortController();
    const changes = client().watchPrincipals({}, { signal: abort.signal })[Symbol.asyncIterator]();
    expect((await changes.next()).value).toEqual({});
    const steps = [
      ["svc_rotate_token", { token_id: id }, { $case: "tokenId", value: id }],
      ["svc_revoke_token", { token_id: id }, { $case: "tokenId", value: id }],
      ["svc_delete_token", { token_id: id }, { $case: "tokenId", value: id }],
      ["svc_update_project", { project, name: "q" }, { $case: "projectUuid", value: project }],
      ["svc_delete_project", { project }, { $case: "projectUuid", value: project }],
    ] as const;
    for (const [name, args, subject] of steps) {
      await run(plane.service, name, args);
      await nextOf(changes, subject);
    }
    abort.abort();
    await changes.next().catch(() => {});
  });
});

test("a call without the identity of a service is refused", async () => {
  const address = `127.0.0.1:${server.port}`;
  const stranger = openRpcChannel({
    address,
    target: "control-plane",
    trust: createTestTrust().of("router"),
    timeoutMs: 5_000,
  });
  await expect(
    stranger.client(PrincipalServiceDefinition).resolveToken({ tokenHash: Buffer.alloc(32) }),
  ).rejects.toThrow();
  stranger.close();
});

test("a stopping service ends its watches", async () => {
  const own = await startControlPlane();
  const changes = own.principals.watchPrincipals({})[Symbol.asyncIterator]();
  await changes.next();
  const ended = changes.next();
  await own.stop();
  expect((await ended).done).toBe(true);
});

test("watches do not delay the stop of a server", async () => {
  const own = await startControlPlane();
  const { log } = createSilentTelemetry();
  const ownServer = await startRpcServer({
    bindings: own.service.rpc,
    trust: trust.of("control-plane"),
    log,
    address: "127.0.0.1:0",
  });
  const address = `127.0.0.1:${ownServer.port}`;
  const ownChannel = openRpcChannel({ address, target: "control-plane", trust: trust.of("router"), timeoutMs: 5_000 });
  const changes = ownChannel.client(PrincipalServiceDefinition).watchPrincipals({})[Symbol.asyncIterator]();
  await changes.next();
  own.service.endStreams?.();
  // Otherwise it waits for this bound, which exceeds the test's time limit.
  await ownServer.stop(120_000);
  expect((await changes.next()).done).toBe(true);
  ownChannel.close();
  await own.stop();
});
