import { createInProcessTransport } from "@gatehouse/events";
import { mintToken } from "@gatehouse/principal";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { openRpcChannel } from "@gatehouse/rpc";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRouterService, routes } from "../src/program.ts";
import type { IssuedToken } from "./fake-control-plane.ts";
import { type RouterKit, startRouter, testConfig, trust, until } from "./router-kit.ts";

let kit: RouterKit;
const time = { aheadMs: 0 };
const clock = { now: () => performance.now() + time.aheadMs, wallNow: () => Date.now() + time.aheadMs };

beforeEach(async () => {
  time.aheadMs = 0;
  kit = await startRouter({ overrides: clock, env: { AUTH_QUESTION_TIMEOUT_MS: "500" } });
  await until(async () => (await get("/readyz")).status === 200);
});
afterEach(async () => await kit.close());

async function call({ token, projectUuid }: IssuedToken) {
  const res = await fetch(`${kit.origin}/api/${projectUuid}/s`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: "{}",
  });
  return {
    status: res.status,
    retryAfter: res.headers.get("retry-after"),
    body: (await res.json()) as { error?: string },
  };
}

async function get(path: string) {
  const res = await fetch(kit.operationsOrigin + path);
  return { status: res.status, body: (await res.json()) as { problems?: string[] } };
}

describe("a revocation", () => {
  it("is in force within 250 ms of being pushed", async () => {
    const issued = kit.controlPlane.issueToken();
    expect((await call(issued)).status).toBe(200);
    kit.controlPlane.revoke(issued);
    const revokedAt = performance.now();
    await until(async () => (await call(issued)).status === 401);
    expect(performance.now() - revokedAt).toBeLessThan(250);
    expect((await call(issued)).body).toEqual({ ok: false, error: "Invalid or revoked token." });
  });

  it("is in force after five seconds at most if it was never pushed", async () => {
    const issued = kit.controlPlane.issueToken();
    await call(issued);
    kit.controlPlane.revoke(issued, false);
    expect((await call(issued)).status).toBe(200);
    time.aheadMs += 5_000;
    expect((await call(issued)).status).toBe(401);
  });

  it("is in force once the stream is up again, if it was missed while the stream was down", async () => {
    const issued = kit.controlPlane.issueToken();
    await call(issued);
    await kit.controlPlane.stop();
    kit.controlPlane.revoke(issued);
    expect((await call(issued)).status).toBe(200);
    await kit.controlPlane.start();
    await until(async () => (await call(issued)).status === 401);
  });
});

describe("an expired token", () => {
  it("answers as a revoked one, after one question about the reason", async () => {
    const issued = kit.controlPlane.issueToken({ expiresAt: new Date(Date.now() + 2_000) });
    expect((await call(issued)).status).toBe(200);
    const asked = kit.controlPlane.resolves.length;
    time.aheadMs += 2_000;
    for (let n = 0; n < 3; n += 1) {
      expect(await call(issued)).toMatchObject({ status: 401, body: { error: "Invalid or revoked token." } });
    }
    expect(kit.controlPlane.resolves.length).toBeLessThanOrEqual(asked + 1);
  });
});

describe.each(["gone", "failing"] as const)("a control plane that is %s", (how) => {
  const down = async () => {
    if (how === "gone") await kit.controlPlane.stop();
    else kit.controlPlane.failing = true;
  };
  const up = async () => {
    kit.controlPlane.failing = false;
    if (how === "gone") await kit.controlPlane.start();
  };

  it("leaves known tokens valid, up to a bound, and answers 503 to others", async () => {
    const known = kit.controlPlane.issueToken();
    const unknown = kit.controlPlane.issueToken();
    await call(known);
    await down();
    time.aheadMs += 60_000;
    expect((await call(known)).status).toBe(200);
    expect(await call(unknown)).toMatchObject({ status: 503, retryAfter: "1", body: { ok: false } });
    expect((await call({ ...known, token: mintToken("live").reveal() })).status).toBe(503);
    time.aheadMs += 300_000;
    expect((await call(known)).status).toBe(503);
    await up();
    await until(async () => (await call(known)).status === 200);
    expect((await call(unknown)).status).toBe(200);
  });
});

describe("readiness", () => {
  it("is lost with the control plane and returns with it", async () => {
    await kit.controlPlane.stop();
    time.aheadMs += 20_000;
    await until(async () => (await get("/readyz")).status === 503);
    expect((await get("/readyz")).body.problems).toEqual(["control-plane: not reached"]);
    expect((await get("/healthz")).status).toBe(200);
    await kit.controlPlane.start();
    await until(async () => (await get("/readyz")).status === 200);
  });

  it("stays while known tokens are served, and says that the control plane is away", async () => {
    const known = kit.controlPlane.issueToken();
    await call(known);
    await kit.controlPlane.stop();
    time.aheadMs += 290_000;
    await until(async () => (await get("/readyz")).body.problems?.length === 1);
    expect(await get("/readyz")).toEqual({ status: 200, body: { ok: true, problems: ["control-plane: not reached"] } });
    expect((await call(known)).status).toBe(200);
    time.aheadMs += 10_000;
    await until(async () => (await get("/readyz")).status === 503);
    expect((await call(known)).status).toBe(503);
  });

  it("stays for 10 s after the stream was lost, however long ago the last answer came", async () => {
    time.aheadMs += 60_000;
    await kit.controlPlane.stop();
    await until(async () => (await get("/readyz")).body.problems?.length === 1);
    expect((await get("/readyz")).status).toBe(200);
    time.aheadMs += 10_000;
    await until(async () => (await get("/readyz")).status === 503);
  });

  it("is not given to a router that has never reached the control plane", async () => {
    const channel = openRpcChannel({
      address: "127.0.0.1:1",
      target: "control-plane",
      trust: trust.of("router"),
      timeoutMs: 500,
    });
    const isolated = await startRouter({ overrides: { principals: channel.client(PrincipalServiceDefinition) } });
    const res = await fetch(`${isolated.operationsOrigin}/readyz`);
    expect({ status: res.status, body: await res.json() }).toEqual({
      status: 503,
      body: { ok: false, problems: ["control-plane: not reached"] },
    });
    await isolated.close();
    channel.close();
  });

  it("names the services that are not ready", async () => {
    const other = await startRouter({
      servicesReadiness: async () => ({ ready: false, problems: ["chat: no database"] }),
    });
    const ask = async () => {
      const res = await fetch(`${other.operationsOrigin}/readyz`);
      return { status: res.status, body: await res.json() };
    };
    await until(async () => !JSON.stringify(await ask()).includes("not reached"));
    expect(await ask()).toEqual({ status: 503, body: { ok: false, problems: ["chat: no database"] } });
    await other.close();
  });
});

describe("the start", () => {
  it("is refused while a route has no authentication and is not public", () => {
    const [first] = routes;
    const dependencies = {
      principals: {} as never,
      services: {} as never,
      telemetry: kit.telemetry,
      events: createInProcessTransport(),
      servicesReadiness: async () => ({ ready: true, problems: [] }),
    };
    const open = { ...first, id: "open", guards: [] } as (typeof routes)[number];
    expect(() => createRouterService(testConfig(), { ...dependencies, routes: [...routes, open] })).toThrow(
      "The route table is not safe to serve: open must be guarded by token",
    );
  });
});
