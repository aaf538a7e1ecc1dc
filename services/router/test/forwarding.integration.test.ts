import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { lapse } from "@gatehouse/async/testing";
import { createPrincipalVerifier, fromRouterHeader, internalHeaders } from "@gatehouse/principal";
import { processFacts } from "@gatehouse/service";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type RouterKit,
  type ScriptedServer,
  sendRaw,
  startRouter,
  startScripted,
  until,
  trust,
} from "./router-kit.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Script = (req: IncomingMessage, res: ServerResponse) => void;

const seen: Seen[] = [];
let script: Script = () => {};
let openCalls = 0;

/** Reads and records the whole request, and answers. */
const answer: Script = (req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    seen.push({ method: req.method, url: req.url, headers: req.headers, body: Buffer.concat(chunks).toString() });
    res.writeHead(201, { "content-type": "text/plain", "x-of-service": "1", connection: "keep-alive" }).end("done");
  });
};

let upstream: ScriptedServer;
let kit: RouterKit;
let dataPath: string;
let authorization: string;
let adminAuthorization: string;

beforeAll(async () => {
  upstream = await startScripted((req, res) => {
    openCalls += 1;
    res.once("close", () => (openCalls -= 1));
    script(req, res);
  });
  // Clients use a public host name, as behind a proxy on the same machine.
  const env = { ALLOWED_ORIGINS: "http://gateway.example" };
  kit = await startRouter({ chat: upstream, controlPlaneHttp: upstream, env });
  const { token, projectUuid } = kit.controlPlane.issueToken();
  dataPath = `/api/${projectUuid}/support`;
  authorization = `Bearer ${token}`;
  adminAuthorization = `Bearer ${kit.controlPlane.issueAdminKey()}`;
});
afterAll(async () => {
  await kit.close();
  upstream.close();
});
beforeEach(() => {
  script = answer;
  seen.length = 0;
});

const planes = ["data", "control"] as const;
type Plane = (typeof planes)[number];

function target(plane: Plane): string {
  return plane === "data" ? `${dataPath}?a=1&b=%20x` : "/control/mcp?a=1&b=%20x";
}

function credential(plane: Plane): string {
  return plane === "data" ? authorization : adminAuthorization;
}

function head(plane: Plane, ...lines: readonly string[]): string {
  return [
    `POST ${target(plane)} HTTP/1.1`,
    "Host: gateway.example",
    `Authorization: ${credential(plane)}`,
    ...lines,
    "",
    "",
  ].join("\r\n");
}

describe.each(planes)("the %s plane, to a service in another process", (plane) => {
  const verify = createPrincipalVerifier(trust.of("chat"));
  const kind = plane === "data" ? "token" : "admin";

  it("answers 503 where the service's reply cannot be passed on", async () => {
    // A status that node:http cannot forward.
    script = (req) => void req.socket.end("HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n");
    const res = await request(kit.origin + target(plane), {
      method: "POST",
      headers: { authorization: credential(plane) },
    });
    expect(res.statusCode).toBe(503);
    await res.body.dump();
  });

  it("passes bytes both ways, and says who is calling", async () => {
    const res = await request(kit.origin + target(plane), {
      method: "POST",
      headers: {
        authorization: credential(plane),
        "content-type": "application/json",
        "x-request-id": "r-1",
        "x-own": "kept",
      },
      body: '{"a":1}',
    });
    expect({
      status: res.statusCode,
      of: res.headers["x-of-service"],
      id: res.headers["x-request-id"],
      body: await res.body.text(),
    }).toEqual({
      status: 201,
      of: "1",
      id: "r-1",
      body: "done",
    });
    const [{ method, url, headers, body } = {} as Seen] = seen;
    expect({ method, url, body }).toEqual({ method: "POST", url: target(plane), body: '{"a":1}' });
    expect(headers).toMatchObject({ "content-type": "application/json", "x-own": "kept" });
    expect(headers[internalHeaders.requestId]).toBe("r-1");
    expect(headers[internalHeaders.ipAddress]).toBe("127.0.0.1");
    expect(verify(headers[internalHeaders.principal] as string, "POST").kind).toBe(kind);
    // Only the Control Plane receives the router's header.
    const router = fromRouterHeader(headers[internalHeaders.router] as string | undefined);
    expect(router).toEqual(plane === "control" ? processFacts : undefined);
  });

  it.each([
    ["plainly", []],
    ["behind Expect", ["Expect: 100-continue"]],
    ["named as hop-by-hop", [`Connection: close, ${internalHeaders.principal}, ${internalHeaders.requestId}`]],
  ])("sends no credential and no header that a client forged, sent %s", async (_how, lines) => {
    const forged = Object.values(internalHeaders).map((name) => `${name.toUpperCase()}: forged`);
    const close = lines.some((line) => line.startsWith("Connection")) ? [] : ["Connection: close"];
    const text = await sendRaw(
      kit.origin,
      head(
        plane,
        ...forged,
        ...lines,
        ...close,
        "Cookie: c=1",
        "Proxy-Authorization: x",
        "TE: trailers",
        "Content-Length: 2",
      ) + "{}",
    );
    expect(text).toContain("HTTP/1.1 201");
    const [{ headers } = {} as Seen] = seen;
    for (const name of ["authorization", "cookie", "proxy-authorization", "te", "expect"])
      expect(headers[name], name).toBeUndefined();
    expect(verify(headers[internalHeaders.principal] as string, "POST").kind).toBe(kind);
    expect(Object.values(headers)).not.toContain("forged");
    expect(JSON.stringify(headers)).not.toContain("gateway.example");
  });

  it("passes a chunked body on", async () => {
    await sendRaw(
      kit.origin,
      head(plane, "Transfer-Encoding: chunked", "Connection: close") + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    );
    expect(seen[0]?.body).toBe("abcde");
  });

  it("streams a reply as it comes", async () => {
    let finish = () => {};
    script = (req, res) => {
      req.resume();
      res.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      finish = () => res.end("data: 2\n\n");
    };
    const res = await request(kit.origin + target(plane), {
      method: "POST",
      headers: { authorization: credential(plane) },
      body: "{}",
    });
    let text = "";
    for await (const chunk of res.body) {
      text += String(chunk);
      if (text === "data: 1\n\n") finish();
    }
    expect(text).toBe("data: 1\n\ndata: 2\n\n");
  });

  it("ends the service's call when the client leaves, before and during the reply", async () => {
    for (const begins of [false, true]) {
      script = (req, res) => {
        req.resume();
        if (begins) res.writeHead(200).write("first");
      };
      const socket = connect(kit.router.port(), "127.0.0.1");
      socket.write(head(plane, "Content-Length: 2") + "{}");
      await until(() => openCalls === 1);
      socket.destroy();
      await until(() => openCalls === 0);
    }
  });

  it("ends the service's call when the client leaves in the middle of its body", async () => {
    script = (req) => req.resume();
    const socket = connect(kit.router.port(), "127.0.0.1");
    // A small body would be read whole before it is forwarded.
    socket.write(head(plane, "Content-Length: 100000") + "part");
    await until(() => openCalls === 1);
    socket.destroy();
    await until(() => openCalls === 0);
  });

  it("cuts the client's connection when the service breaks off its reply", async () => {
    script = (_req, res) => {
      res.writeHead(200, { "content-length": 100 }).write("half");
      setImmediate(() => res.destroy());
    };
    const text = await sendRaw(kit.origin, head(plane, "Content-Length: 2") + "{}").catch(() => "reset");
    expect(text === "reset" || text.endsWith("half")).toBe(true);
  });

  it("answers 503 for a service that closes without an answer", async () => {
    script = (req) => req.socket.destroy();
    const res = await request(kit.origin + target(plane), {
      method: "POST",
      headers: { authorization: credential(plane) },
      body: "{}",
    });
    expect({ status: res.statusCode, retryAfter: res.headers["retry-after"], body: await res.body.json() }).toEqual({
      status: 503,
      retryAfter: "1",
      body: { ok: false, error: "A service of the gateway is not available.", retry_after: 1 },
    });
  });
});

describe("streams that clients abandon", () => {
  it("leave nothing behind: after 300 of them the gateway answers as before", async () => {
    script = (req, res) => {
      req.resume();
      res.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => res.write(`data: ${"x".repeat(2_000)}\n\n`), 2);
      res.once("close", () => clearInterval(timer));
    };
    let seenFirstByte = 0;
    const abandon = async () => {
      const socket = connect(kit.router.port(), "127.0.0.1");
      socket.on("error", () => {});
      socket.write(head("data", "Content-Length: 2") + "{}");
      await new Promise<void>((resolve) => void socket.once("data", () => resolve()));
      seenFirstByte += 1;
      socket.destroy();
    };
    for (let round = 0; round < 6; round += 1) await Promise.all(Array.from({ length: 50 }, abandon));
    expect(seenFirstByte).toBe(300);
    await until(() => openCalls === 0);
    script = answer;
    const health = await request(`${kit.origin}/healthz`);
    expect(health.statusCode).toBe(200);
    await health.body.dump();
    const call = await request(kit.origin + dataPath, { method: "POST", headers: { authorization }, body: "{}" });
    expect(call.statusCode).toBe(201);
    await call.body.dump();
    await until(async () => {
      const metrics = await request(`${kit.operationsOrigin}/metrics`);
      return (await metrics.body.text()).includes("gatehouse_router_requests_in_flight 0");
    });
  });
});

describe("a service that is not there", () => {
  it("is answered for with 503 on both planes", async () => {
    const gone = await startScripted(() => {});
    gone.close();
    const other = await startRouter({ chat: gone, controlPlaneHttp: gone });
    const { token, projectUuid } = other.controlPlane.issueToken();
    const key = other.controlPlane.issueAdminKey();
    for (const [path, bearer] of [
      [`/api/${projectUuid}/s`, token],
      ["/control/mcp", key],
    ]) {
      const res = await request(other.origin + path, {
        method: "POST",
        headers: { authorization: `Bearer ${bearer}` },
        body: "{}",
      });
      expect({ status: res.statusCode, body: await res.body.json() }).toMatchObject({
        status: 503,
        body: { ok: false },
      });
    }
    await other.close();
  });
});

describe("a client that leaves while a process is looked for", () => {
  it("leaves nothing behind, and its call reaches no process", async () => {
    const held: (() => void)[] = [];
    const asked: string[] = [];
    let isHolding = false;
    const server = createServer((req, res) => {
      const reply = () => void res.end('{"ok":true}');
      if (req.url !== "/healthz") asked.push(req.url ?? "");
      if (isHolding) held.push(reply);
      else reply();
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const own = await startRouter({
      controlPlaneHttp: { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    });
    const bearer = `Bearer ${own.controlPlane.issueAdminKey()}`;
    const inFlight = async () => {
      const metrics = await request(`${own.operationsOrigin}/metrics`);
      return Number(/^gatehouse_router_requests_in_flight (\d+)$/m.exec(await metrics.body.text())?.[1]);
    };
    const first = await request(`${own.origin}/control/mcp`, {
      method: "POST",
      headers: { authorization: bearer },
      body: "{}",
    });
    expect(await first.body.text()).toBe('{"ok":true}');
    isHolding = true;
    const socket = connect(own.router.port(), "127.0.0.1");
    const lines = ["POST /control/mcp HTTP/1.1", "Host: localhost", `Authorization: ${bearer}`, "Content-Length: 2"];
    socket.write([...lines, "", "{}"].join("\r\n"));
    await until(async () => (await inFlight()) === 1 && held.length > 0);
    socket.destroy();
    await lapse(50, "the router sees the client leave");
    isHolding = false;
    for (const reply of held.splice(0)) reply();
    await until(async () => (await inFlight()) === 0);
    expect(asked).toEqual(["/control/mcp"]);
    await own.close();
    server.close();
    server.closeAllConnections();
  });
});
