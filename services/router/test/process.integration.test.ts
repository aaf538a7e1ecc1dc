import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServiceHandler } from "@gatehouse/principal";
import { Client, request } from "undici";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FakeControlPlane } from "./fake-control-plane.ts";
import { type RouterKit, startRouter, startScripted, trust, until } from "./router-kit.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill("SIGKILL")));

function startProcess(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ["--conditions=@gatehouse/source", main], {
    env: { PATH: process.env["PATH"], ...env },
  });
  children.push(child);
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output.text += chunk.toString()));
  return { child, output };
}

describe("the process", () => {
  it("ends with 2 and names every setting that is wrong", async () => {
    const { child, output } = startProcess({ PORT: "x", CHAT_URL: "ftp://y" });
    expect(await once(child, "exit")).toEqual([2, null]);
    for (const name of ["GATEHOUSE_SERVICE_KEY", "GATEHOUSE_TRUST", "PORT", "CHAT_URL"])
      expect(output.text).toContain(name);
  });

  it("names the setting of a socket that it did not inherit", async () => {
    const { child, output } = startProcess({
      ...trust.env("router"),
      HOST: "127.0.0.1",
      OPS_PORT: "0",
      LISTEN_FDS: "1",
    });
    expect(await once(child, "exit")).toEqual([1, null]);
    expect(output.text).toContain("LISTEN_FDS is 1, but file descriptor 3 is no listening socket");
  });

  it.each(["HOST", "OPS_HOST"])(
    "ends with 1 and names %s where its name does not resolve",
    async (name) => {
      const { child, output } = startProcess({
        ...trust.env("router"),
        HOST: "127.0.0.1",
        PORT: "0",
        OPS_PORT: "0",
        GATEHOUSE_PLAINTEXT: "allow",
        [name]: "no-such-host.invalid",
      });
      expect(await once(child, "exit")).toEqual([1, null]);
      expect(output.text).toMatch(new RegExp(`^${name} must be an address of this machine`, "m"));
      expect(output.text).not.toContain("database");
    },
    40_000,
  );

  it("serves alone, lists its routes, keeps secrets out of its log and stops cleanly", async () => {
    const controlPlane = new FakeControlPlane(trust.of("control-plane"));
    await controlPlane.start();
    const service = await startScripted((req, res) => {
      req.resume();
      res.writeHead(200).end(req.url);
    });
    const { child, output } = startProcess({
      ...trust.env("router"),
      HOST: "127.0.0.1",
      PORT: "0",
      OPS_PORT: "0",
      CONTROL_PLANE_RPC_ADDRESS: controlPlane.address,
      CONTROL_PLANE_URL: service.origin,
      CHAT_URL: service.origin,
    });
    await until(() => output.text.includes("The router is ready."), 20_000);
    expect(output.text).toContain("chat_direct: POST /api/{uuid}/{slug} [token > network > project");
    const portOf = (name: string) => new RegExp(`"${name}":(\\d+)`).exec(output.text)?.[1];
    const origin = `http://127.0.0.1:${portOf("port")}`;
    await until(async () => {
      const { statusCode, body } = await request(`http://127.0.0.1:${portOf("operations_port")}/readyz`);
      await body.dump();
      return statusCode === 200;
    });
    const { token, projectUuid } = controlPlane.issueToken();
    const res = await request(`${origin}/api/${projectUuid}/s`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    expect({ status: res.statusCode, body: await res.body.text() }).toEqual({
      status: 200,
      body: `/api/${projectUuid}/s`,
    });
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(output.text).not.toContain(token);
    const { keys } = JSON.parse(trust.env("router").GATEHOUSE_SERVICE_KEY) as { keys: { privateKey: string }[] };
    for (const { privateKey } of keys) expect(output.text).not.toContain(privateKey);
    service.close();
    await controlPlane.stop();
  }, 40_000);
});

describe("stopping", () => {
  async function startStreaming(env: Readonly<Record<string, string>>, contentType = "text/event-stream") {
    const gate = { end: () => {} };
    const chat: ServiceHandler = async (req, res) => {
      req.resume();
      res.writeHead(200, { "content-type": contentType }).write("data: 1\n\n");
      await new Promise<void>((resolve) => {
        res.once("close", resolve);
        gate.end = () => void res.end("data: 2\n\n");
      });
    };
    const kit = await startRouter({ chat, env });
    await until(async () => (await status(kit, "/readyz")) === 200);
    const { token, projectUuid } = kit.controlPlane.issueToken();
    const res = await request(`${kit.origin}/api/${projectUuid}/s`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    return { kit, gate, body: res.body, projectUuid, token };
  }

  async function status(kit: RouterKit, path: string): Promise<number> {
    const { statusCode, body } = await request((path === "/readyz" ? kit.operationsOrigin : kit.origin) + path);
    await body.dump();
    return statusCode;
  }

  it("is announced by /readyz at once, while requests are still taken", async () => {
    const { kit, gate, body } = await startStreaming({ STOP_NOTICE_MS: "500" });
    const closed = kit.close();
    expect(await status(kit, "/readyz")).toBe(503);
    expect(await status(kit, "/healthz")).toBe(200);
    gate.end();
    await body.dump();
    await closed;
  });

  it("lets a stream finish, accepts nothing further, and does not wait for idle connections", async () => {
    const { kit, gate, body } = await startStreaming({ DRAIN_TIMEOUT_MS: "20000" });
    const stoppedAt = performance.now();
    const closed = kit.close();
    await vi.waitFor(async () => await expect(status(kit, "/healthz")).rejects.toThrow());
    gate.end();
    expect(await body.text()).toBe("data: 1\n\ndata: 2\n\n");
    await closed;
    expect(performance.now() - stoppedAt).toBeLessThan(5_000);
  });

  it("ends a stream of events that is not finished within the bound with an event that says so", async () => {
    const { kit, body } = await startStreaming({ DRAIN_TIMEOUT_MS: "300" });
    const text = body.text();
    await kit.close();
    const [first, last, end] = (await text).split("\n\n");
    expect(first).toBe("data: 1");
    expect(JSON.parse(last?.slice("data: ".length) ?? "")).toMatchObject({ error: { code: "unavailable" } });
    expect(end).toBe("");
  });

  it("answers a call that is not finished within the bound with 503", async () => {
    let calls = 0;
    const chat: ServiceHandler = async (req, res) => {
      calls += 1;
      req.resume();
      await once(res, "close");
    };
    const kit = await startRouter({ chat, env: { DRAIN_TIMEOUT_MS: "300" } });
    await until(async () => (await status(kit, "/readyz")) === 200);
    const { token, projectUuid } = kit.controlPlane.issueToken();
    const headers = { authorization: `Bearer ${token}` };
    const reply = request(`${kit.origin}/api/${projectUuid}/s`, { method: "POST", headers });
    await until(() => calls > 0);
    await kit.close();
    expect((await reply).statusCode).toBe(503);
    expect((await reply).headers["retry-after"]).toBe("1");
    expect(await (await reply).body.json()).toMatchObject({ ok: false, error: expect.stringContaining("restarting") });
  });

  it("starts no call that it would cut: after the last events, calls on kept connections get 503", async () => {
    let calls = 0;
    const chat: ServiceHandler = async (req, res) => {
      calls += 1;
      req.resume();
      res.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      await once(res, "close");
    };
    const kit = await startRouter({ chat, env: { STOP_NOTICE_MS: "500", DRAIN_TIMEOUT_MS: "500" } });
    await until(async () => (await status(kit, "/readyz")) === 200);
    const { token, projectUuid } = kit.controlPlane.issueToken();
    // One connection, which the second call finds open.
    const client = new Client(kit.origin);
    const path = `/api/${projectUuid}/s`;
    const call = async () =>
      await client.request({ path, method: "POST", headers: { authorization: `Bearer ${token}` } });
    const stream = await call();
    const closed = kit.close();
    expect(await stream.body.text()).toContain('"code":"unavailable"');
    const next = await call();
    expect({ status: next.statusCode, connection: next.headers.connection }).toEqual({
      status: 503,
      connection: "close",
    });
    expect(await next.body.json()).toMatchObject({ error: expect.stringContaining("restarting") });
    expect(calls).toBe(1);
    await client.close();
    await closed;
  });

  it("closes the connection after each answer", async () => {
    const { kit, gate, body, projectUuid, token } = await startStreaming({ STOP_NOTICE_MS: "500" });
    const ask = async () => {
      const reply = await request(`${kit.origin}/api/${projectUuid}/none/x`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await reply.body.dump();
      return reply.headers.connection;
    };
    expect(await ask()).not.toBe("close");
    const closed = kit.close();
    expect(await ask()).toBe("close");
    gate.end();
    await body.dump();
    await closed;
  });

  it("cuts any other reply that is not finished within the bound", async () => {
    const { kit, body } = await startStreaming({ DRAIN_TIMEOUT_MS: "100" }, "text/plain");
    const text = body.text();
    const outcome = expect(text).rejects.toThrow();
    await kit.close();
    await outcome;
  });
});
