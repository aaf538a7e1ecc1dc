import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import type { ServiceHandler } from "@gatehouse/principal";
import { createSilentTelemetry, type Span, type SpanOptions } from "@gatehouse/telemetry";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { echo, type RouterKit, sendRaw, startRouter } from "./router-kit.ts";

const env = {
  BODY_SIZE_BYTES_MAX: "1000000",
  HEADERS_TIMEOUT_MS: "300",
  REQUEST_TIMEOUT_MS: "600",
  PATH_LENGTH_MAX: "500",
  ALLOWED_ORIGINS: "https://chat.example.com",
};
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

interface RecordedSpan {
  readonly name: string;
  readonly options: SpanOptions;
  readonly attributes: Record<string, unknown>;
  ended: number;
}

const spans: RecordedSpan[] = [];

/** Records spans instead of exporting them. */
function recordingTelemetry() {
  const start = (name: string, options: SpanOptions): Span => {
    const span: RecordedSpan = { name, options, attributes: { ...options.attributes }, ended: 0 };
    spans.push(span);
    const traceId = options.parent?.slice(3, 35);
    return {
      traceId,
      traceparent: options.parent,
      isRecorded: true,
      set: (attributes) => void Object.assign(span.attributes, attributes),
      end: () => void (span.ended += 1),
    };
  };
  return { ...createSilentTelemetry(), tracing: { start } };
}

const service: ServiceHandler = async (req, res, context) => {
  if (req.url?.endsWith("/defect")) throw new TypeError("a defect");
  if (req.url?.endsWith("/midway")) {
    res.writeHead(200, { "content-length": 100 }).write("half");
    throw new TypeError("a defect after the first byte");
  }
  await echo(req, res, context);
};

let kit: RouterKit;
let path: string;
let authorization: string;
beforeAll(async () => {
  kit = await startRouter({ chat: service, env, telemetry: recordingTelemetry() });
  const { token, projectUuid } = kit.controlPlane.issueToken();
  path = `/api/${projectUuid}/support`;
  authorization = `Bearer ${token}`;
});
afterAll(async () => await kit.close());

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(target: string, init: Sent = {}) {
  const res = await fetch(kit.origin + target, {
    method: "POST",
    ...(init.method === undefined || init.method === "POST" ? { body: "{}" } : {}),
    ...init,
    headers: { authorization, ...init.headers },
  });
  return { status: res.status, headers: res.headers, body: (await res.json()) as Record<string, unknown> };
}

const head = (target: string, ...lines: string[]) =>
  [`POST ${target} HTTP/1.1`, "Host: x", `Authorization: ${authorization}`, ...lines, "", ""].join("\r\n");

describe("the Wrapper's routes", () => {
  it("accept only their method, and name it in refusals", async () => {
    const wrapper = kit.controlPlane.issueToken({ projectType: "ai_wrapper", scopes: ["chat", "models"] });
    const at = async (route: string, method: string) =>
      await send(`/api/${wrapper.projectUuid}/v1/${route}`, {
        method,
        headers: { authorization: `Bearer ${wrapper.token}` },
      });
    expect(await at("chat/completions", "POST")).toMatchObject({ status: 200 });
    expect(await at("embeddings", "POST")).toMatchObject({ status: 200 });
    expect(await at("models", "GET")).toMatchObject({ status: 200 });
    for (const [route, method, allow] of [
      ["chat/completions", "GET", "POST"],
      ["embeddings", "PUT", "POST"],
      ["models", "POST", "GET"],
    ] as const) {
      const refused = await at(route, method);
      expect(refused).toMatchObject({
        status: 405,
        body: { error: `Method '${method}' is not allowed for this endpoint.` },
      });
      expect(refused.headers.get("allow")).toBe(allow);
    }
  });

  it("need the scope 'models' for the list of models", async () => {
    const wrapper = kit.controlPlane.issueToken({ projectType: "ai_wrapper", scopes: ["chat"] });
    const refused = await send(`/api/${wrapper.projectUuid}/v1/models`, {
      method: "GET",
      headers: { authorization: `Bearer ${wrapper.token}` },
    });
    expect(refused).toMatchObject({
      status: 403,
      body: { error: "Missing required scope: 'models'. Token has: chat." },
    });
  });
});

describe("the MCP surfaces", () => {
  const post = async (path: string, token: string, headers: readonly string[] = []) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const host = headers.some((line) => line.startsWith("Host:")) ? [] : [`Host: ${new URL(kit.origin).host}`];
    const head = [...host, ...headers, `Authorization: Bearer ${token}`, `Content-Length: ${body.length}`];
    const reply = await sendRaw(
      kit.origin,
      `POST ${path} HTTP/1.1\r\n${[...head, "Connection: close"].join("\r\n")}\r\n\r\n${body}`,
    );
    return reply.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
  };

  it("share one address; the project's type chooses the service", async () => {
    for (const projectType of ["ai_gateway", "mcp_gateway"] as const) {
      const { token, projectUuid } = kit.controlPlane.issueToken({ projectType, scopes: ["mcp"] });
      const at = `/api/${projectUuid}/mcp`;
      expect(await post(at, token)).toBe("200");
      const refused = await send(at, { method: "GET", headers: { authorization: `Bearer ${token}` } });
      expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
    }
    const { token, projectUuid } = kit.controlPlane.issueToken({ projectType: "api_gateway", scopes: ["mcp"] });
    const refused = await send(`/api/${projectUuid}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining("mcp_gateway") as string } });
  });

  it("refuse pages of other sites, and DNS rebinding", async () => {
    const { token, projectUuid } = kit.controlPlane.issueToken({ scopes: ["mcp", "chat"] });
    const own = new URL(kit.origin).host;
    const routes = [
      [`/api/${projectUuid}/mcp`, token],
      ["/control/mcp", kit.controlPlane.issueAdminKey()],
    ] as const;
    for (const [at, credential] of routes) {
      expect(await post(at, credential, [`Origin: http://${own}`])).toBe("200");
      expect(await post(at, credential, ["Origin: https://chat.example.com"])).toBe("200");
      expect(await post(at, credential, ["Origin: http://evil.example"])).toBe("403");
      expect(await post(at, credential, ["Host: evil.example", "Origin: http://evil.example"])).toBe("403");
      expect(await post(at, credential, ["Host: evil.example"])).toBe("403");
      expect(await post(at, "svc_live_unknown", ["Host: evil.example"])).toBe("401");
    }
    expect(await post(`/api/${projectUuid}/support`, token, ["Origin: http://evil.example"])).toBe("200");
  });
});

describe("the order of answers", () => {
  it("puts the project's type before the method, and the method before the size", async () => {
    const other = kit.controlPlane.issueToken({ projectType: "mcp_gateway", scopes: ["chat"] });
    const wrongType = await send(`/api/${other.projectUuid}/x`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${other.token}` },
    });
    expect(wrongType).toMatchObject({
      status: 400,
      body: {
        error: "This project is not an AI Gateway. Use /api/{uuid}/v1/chat/completions for AI Wrapper projects.",
      },
    });
    for (const [route, scopes] of [
      ["v1/chat/completions", ["chat"]],
      ["v1/embeddings", ["chat"]],
      ["v1/models", ["models"]],
    ] as const) {
      const gateway = kit.controlPlane.issueToken({ projectType: "ai_gateway", scopes: [...scopes] });
      const reply = await send(`/api/${gateway.projectUuid}/${route}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${gateway.token}` },
      });
      expect(reply).toMatchObject({
        status: 400,
        body: { error: "This project is not an AI Wrapper. Use /api/{uuid}/{slug} for AI Gateway projects." },
      });
    }
    const wrongMethod = await send(path, { method: "PUT", body: "x".repeat(1_000_001) });
    expect(wrongMethod).toMatchObject({
      status: 405,
      body: { error: "Method 'PUT' is not allowed for this endpoint." },
    });
    expect(wrongMethod.headers.get("allow")).toBe("POST");
  });

  it("names the scopes that a token has", async () => {
    const { token, projectUuid } = kit.controlPlane.issueToken({ scopes: ["mcp", "models"] });
    const { status, body } = await send(`/api/${projectUuid}/chat/completions`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect({ status, body }).toEqual({
      status: 403,
      body: { ok: false, error: "Missing required scope: 'chat'. Token has: mcp, models." },
    });
  });

  it("gives the same answer for another's project and a missing one", async () => {
    const there = kit.controlPlane.issueToken();
    const answers = await Promise.all(
      [there.projectUuid, randomUUID(), "no-uuid"].map(async (uuid) => await send(`/api/${uuid}/x`)),
    );
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({
        status: 403,
        body: { ok: false, error: "Token does not belong to this project." },
      });
    }
  });

  it("answers 404 at reserved slugs and unknown paths", async () => {
    for (const target of [
      path.replace("support", "mcp/more"),
      "/api/",
      "/nothing",
      "/control/other",
      "/control/mcp/",
    ]) {
      expect(await send(target), target).toMatchObject({
        status: 404,
        body: { ok: false, error: "There is nothing at this path." },
      });
    }
  });

  it("refuses each plane's credentials on the other", async () => {
    const key = kit.controlPlane.issueAdminKey();
    expect(await send(path, { headers: { authorization: `Bearer ${key}` } })).toMatchObject({
      status: 401,
      body: { error: "Invalid token format." },
    });
    expect(await send("/control/mcp")).toMatchObject({ status: 401, body: { error: "Invalid token format." } });
    expect(await send("/control/mcp", { headers: { authorization: `bearer  ${key}` } })).toMatchObject({
      status: 200,
      body: { principal: { kind: "admin" } },
    });
    const get = await send("/control/mcp", { method: "GET", headers: { authorization: `Bearer ${key}` } });
    expect({ status: get.status, allow: get.headers.get("allow") }).toEqual({ status: 405, allow: "POST" });
  });

  it("reports every refused admin key to the control plane, with its address", async () => {
    const before = kit.controlPlane.adminAttempts.length;
    const wrong = { headers: { authorization: "Bearer svc_admin_wrong-wrong-wrong" } };
    await send("/control/mcp", wrong);
    expect(await send("/control/mcp", wrong)).toMatchObject({
      status: 401,
      body: { error: "Invalid or revoked token." },
    });
    expect(kit.controlPlane.adminAttempts.slice(before)).toEqual(["127.0.0.1", "127.0.0.1"]);
  });
});

describe("request ids and traces", () => {
  it("keeps a client's id, and generates one where its form is invalid", async () => {
    expect((await send(path, { headers: { "x-request-id": "mine-1" } })).body["requestId"]).toBe("mine-1");
    const { headers, body } = await send(path, { headers: { "x-request-id": "not mine" } });
    expect(body["requestId"]).toMatch(/^req-[0-9a-f]{18}-[0-9a-z]{6}$/);
    expect(headers.get("x-request-id")).toBe(body["requestId"]);
  });

  it("makes one span a request, below the caller's, with the route and the status", async () => {
    const from = spans.length;
    await send(path, { headers: { traceparent, "x-request-id": "traced" } });
    expect(spans.slice(from)).toMatchObject([
      {
        name: "POST /api/{uuid}/{slug}",
        options: { kind: "server", parent: traceparent },
        attributes: {
          "gatehouse.request_id": "traced",
          "gatehouse.route": "chat_direct",
          "http.request.method": "POST",
          "http.route": "/api/{uuid}/{slug}",
          "http.response.status_code": 200,
        },
        ended: 1,
      },
    ]);
  });
});

describe("a service that fails", () => {
  it("gets a 500 without the cause", async () => {
    const { status, body } = await send(path.replace("support", "defect"));
    expect({ status, body }).toEqual({ status: 500, body: { ok: false, error: "Unexpected error." } });
  });

  it("after the first byte gets its connection closed", async () => {
    await expect(send(path.replace("support", "midway"))).rejects.toThrow();
  });
});

describe("bounds", () => {
  it("refuses an announced body that is too large, in an answer that arrives", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { status, body, headers } = await send(path, { body: "x".repeat(3_000_000) });
      expect(status).toBe(413);
      expect(body).toMatchObject({ ok: false, error: "Request body is larger than 1000000 bytes." });
      expect(headers.get("connection")).toBe("close");
    }
  });

  it("refuses before a large body was read, in an answer that arrives", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { status, body } = await send(path, { body: "x".repeat(3_000_000), headers: { authorization: "" } });
      expect({ status, body }).toEqual({ status: 401, body: { ok: false, error: "Missing Bearer token." } });
    }
  });

  it("keeps the connection after refusing a small body", async () => {
    const text = await sendRaw(
      kit.origin,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`,
      head(path, "Connection: close", "Content-Length: 2") + "{}",
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
  });

  it("refuses headers that are too large with 431, a slow head with 408 and a slow body with 408, each with an id", async () => {
    const answers = await Promise.all([
      sendRaw(kit.origin, head(path, `X-Fill: ${"x".repeat(20_000)}`)),
      sendRaw(kit.origin, `POST ${path} HTTP/1.1\r\nHost: x\r\n`),
      sendRaw(kit.origin, head(path, "Content-Length: 10") + "half"),
    ]);
    expect(answers.map((text) => text.slice(9, 12))).toEqual(["431", "408", "408"]);
    for (const text of answers) {
      expect(text).toMatch(/\r\nx-request-id: req-/i);
      expect(text).toContain('{"ok":false,"error":');
    }
  });

  it("refuses a path that is too long", async () => {
    expect(await send(`${path}?${"x".repeat(500)}`)).toMatchObject({
      status: 400,
      body: { error: "Request path is longer than 500 characters." },
    });
  });

  it("refuses requests beyond the bound of requests in flight", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => void (release = resolve));
    const small = await startRouter({
      env: { REQUESTS_IN_FLIGHT_MAX: "1" },
      chat: async (req, res, context) => {
        await held;
        await echo(req, res, context);
      },
    });
    const { token, projectUuid } = small.controlPlane.issueToken();
    const call = async () =>
      await fetch(`${small.origin}/api/${projectUuid}/s`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      });
    const first = call();
    const second = await Promise.race([first, call(), call()]);
    expect({ status: second.status, retryAfter: second.headers.get("retry-after") }).toEqual({
      status: 503,
      retryAfter: "1",
    });
    release();
    expect((await first).status).toBeGreaterThanOrEqual(200);
    await small.close();
  });
});

describe("requests made to confuse", () => {
  it.each([
    [
      "both lengths",
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ["two content lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"],
    ["a content length that is not a number", "Content-Length: 5x\r\n\r\nhello"],
    ["an obsolete line fold", "X-A: 1\r\n Authorization: Bearer x\r\n\r\n"],
    ["a space before the colon", "Content-Length : 5\r\n\r\nhello"],
    ["a bare line feed in a value", "X-A: 1\nX-B: 2\r\n\r\n"],
    ["a chunked coding that is not last", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"],
  ])("%s: one answer, 400, and the connection ends", async (_name, rest) => {
    const text = await sendRaw(
      kit.origin,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${rest}`,
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
  });

  it("never answers inside another reply", async () => {
    const streaming = await startRouter({
      chat: async (_req, res) => {
        res.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
        await new Promise((resolve) => void res.once("close", resolve));
      },
    });
    const { token, projectUuid } = streaming.controlPlane.issueToken();
    const start = `POST /api/${projectUuid}/s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 0\r\n\r\n`;
    const text = await new Promise<string>((resolve) => {
      let got = "";
      const socket = connect(streaming.router.port(), "127.0.0.1");
      socket.on("data", (chunk) => {
        got += chunk.toString();
        if (got.includes("data: 1")) socket.write("nonsense\r\n\r\n");
      });
      socket.on("close", () => resolve(got));
      socket.on("error", () => {});
      socket.write(start);
    });
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    await streaming.close();
  });

  it.each([
    "/api/UUID/x%0d%0aSet-Cookie:%20a=b",
    "/api/UUID/x%00",
    "/api/UUID/%e2%28%a1",
    "/api/UUID/<script>",
    "/%0d%0aSet-Cookie:%20a=b",
    "/%",
    "/control%2fmcp",
  ])("%s puts nothing into the reply's headers", async (target) => {
    const text = await sendRaw(
      kit.origin,
      head(target.replace("/api/UUID", path.replace("/support", "")), "Connection: close", "Content-Length: 0"),
    );
    const [headers = ""] = text.split("\r\n\r\n");
    expect(headers).toMatch(/^HTTP\/1\.1 (200|400|404)/);
    expect(headers.toLowerCase()).not.toContain("set-cookie");
    expect(headers.toLowerCase()).toContain("x-request-id");
  });

  it.each([
    ["GET http://127.0.0.1/api/x/y HTTP/1.1", "403"],
    ["OPTIONS * HTTP/1.1", "404"],
    ["GET //api/x/y HTTP/1.1", "404"],
    ["GET /API/x/y HTTP/1.1", "404"],
    ["TRACE / HTTP/1.1", "405"],
  ])("%s reaches no service", async (line, status) => {
    const text = await sendRaw(
      kit.origin,
      `${line}\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    );
    expect(text.slice(9, 12)).toBe(status);
  });
});

describe("the router's own pages", () => {
  it("name the product and its routes", async () => {
    const { status, body, headers } = await send("/", { method: "GET" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, service: "Gatehouse" });
    expect(headers.get("x-powered-by")).toBeNull();
  });

  it("reports liveness, readiness and counts by route and status", async () => {
    expect(await send("/healthz", { method: "GET" })).toMatchObject({ status: 200, body: { ok: true } });
    const ready = await fetch(`${kit.operationsOrigin}/readyz`);
    expect({ status: ready.status, body: await ready.json() }).toEqual({
      status: 200,
      body: { ok: true, problems: [] },
    });
    await send(path);
    const res = await fetch(`${kit.operationsOrigin}/metrics`);
    const text = await res.text();
    expect(res.headers.get("content-type")).toContain("text/plain");
    expect(text).toMatch(/gatehouse_router_requests_total\{route="chat_direct",status="200"\} \d+/);
    expect(text).toMatch(
      /gatehouse_router_request_duration_seconds_bucket\{le="0.001",route="chat_direct",status="200"\} \d+/,
    );
    expect(text).toMatch(/gatehouse_router_principal_lookups_total\{cache="tokens",outcome="fresh"\} \d+/);
    expect(text).toContain("gatehouse_router_requests_in_flight 0");
    expect(text).toContain("gatehouse_router_watch_connected 1");
    expect(text).not.toContain(path);
  });

  it("shows readiness and metrics on the public port to an administrator only", async () => {
    const key = { authorization: `Bearer ${kit.controlPlane.issueAdminKey()}` };
    for (const page of ["/readyz", "/metrics"]) {
      const url = kit.origin + page;
      expect((await fetch(url)).status).toBe(401);
      expect((await fetch(url, { headers: { authorization } })).status).toBe(401);
      const shown = await fetch(url, { headers: key });
      expect(shown.status).toBe(200);
      await shown.text();
    }
    expect((await fetch(`${kit.operationsOrigin}/healthz`)).status).toBe(200);
    expect((await fetch(`${kit.operationsOrigin}${path}`, { headers: { authorization } })).status).toBe(404);
  });

  it("refuses other methods on them", async () => {
    const { status, headers } = await send("/healthz", { method: "DELETE" });
    expect({ status, allow: headers.get("allow") }).toEqual({ status: 405, allow: "GET, HEAD" });
  });
});
