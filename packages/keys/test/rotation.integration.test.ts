import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPrincipalSigner, createPrincipalVerifier } from "@gatehouse/principal";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { bindRpc, openRpcChannel, startRpcServer } from "@gatehouse/rpc";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { type ServiceName, ServiceTrust } from "@gatehouse/trust";
import { afterEach, beforeEach, expect, test } from "vitest";
import { initKeys } from "../src/index.ts";
import { rotateKeys } from "../src/rotate-keys.ts";

let folder: string;
let nowMs: number;
const ends: (() => Promise<unknown> | void)[] = [];

beforeEach(async () => {
  nowMs = Date.now();
  folder = await mkdtemp(join(tmpdir(), "gatehouse-rotation-"));
  await initKeys({ folder, database: "x/x", nats: { listen: "x:1", storeFolder: "/x" } });
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await rm(folder, { recursive: true });
});

/** Trust of a process that follows its files, on the test's clock; a thief has a copy that never changes. */
async function trustOf(service: ServiceName, { isThief = false } = {}): Promise<ServiceTrust> {
  const source = async (path: string) => ({ text: await readFile(path, "utf8"), ...(isThief ? {} : { path }) });
  const [own, known] = await Promise.all([
    source(join(folder, service, "service-key.json")),
    source(join(folder, "public", "trust.json")),
  ]);
  return new ServiceTrust(own, known, () => nowMs);
}

async function startControlPlane(): Promise<string> {
  const answer = async () => await Promise.resolve({ principal: { tokenId: 1 } });
  const unexpected = () => {
    throw new Error("This method is not part of the test.");
  };
  const binding = bindRpc(PrincipalServiceDefinition, {
    resolveToken: answer,
    resolveAdminKey: async () => await Promise.resolve({}),
    resolveJwt: unexpected,
    listTrustedIssuers: unexpected,
    openSession: unexpected,
    listSignInProviders: unexpected,
    startSignIn: unexpected,
    finishSignIn: unexpected,
    resolveSession: unexpected,
    endSession: unexpected,
    watchPrincipals: unexpected,
  });
  const { log } = createSilentTelemetry();
  const trust = await trustOf("control-plane");
  const server = await startRpcServer({ bindings: [binding], trust, log, address: "127.0.0.1:0" });
  ends.push(async () => await server.stop(0));
  return `127.0.0.1:${server.port}`;
}

function connect(trust: ServiceTrust, address: string) {
  const channel = openRpcChannel({ address, target: "control-plane", trust, timeoutMs: 5_000 });
  ends.push(() => channel.close());
  return channel.client(PrincipalServiceDefinition);
}

test("keys rotate under gRPC and HTTP calls without a refusal, and the old keys stop working", async () => {
  const address = await startControlPlane();
  const router = await trustOf("router");
  const client = connect(router, address);
  const thief = await trustOf("router", { isThief: true });
  const stolen = connect(thief, address);
  const admin = { kind: "admin", adminKeyId: 1, name: "t", role: "owner", projects: null } as const;
  const sign = createPrincipalSigner(router, "control-plane");
  const verify = createPrincipalVerifier(await trustOf("control-plane"));
  const keyIds = new Set<string>();
  const leadMs = 60_000;
  let end = Number.POSITIVE_INFINITY;
  for (let second = 0; second < 160; second += 1) {
    if (second === 10) end = (await rotateKeys({ folder, leadMs, now: nowMs })).ends;
    // A call on the hot stream; the next is a unary call.
    expect(await client.resolveToken({})).toMatchObject({ principal: { tokenId: 1 } });
    await client.resolveAdminKey({});
    const header = sign(admin, "POST");
    keyIds.add(header.split(".")[0] ?? "");
    expect(verify(header, "POST")).toEqual(admin);
    if (nowMs < end) await stolen.resolveToken({});
    nowMs += 1_000;
  }
  expect(keyIds.size).toBe(2);
  expect(nowMs).toBeGreaterThan(end);
  await expect(stolen.resolveToken({})).rejects.toMatchObject({ code: "internal" });
  await expect(stolen.resolveAdminKey({})).rejects.toMatchObject({ code: "internal" });
  const forged = createPrincipalSigner(thief, "control-plane")(admin, "POST");
  expect(() => verify(forged, "POST")).toThrow("through the router");
});
