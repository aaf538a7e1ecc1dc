import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { lapse } from "@gatehouse/async/testing";
import type { GatewayLogEntry } from "@gatehouse/gateway-log";
import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import type { ServiceHandler } from "@gatehouse/principal";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { echo, type RouterKit, sendRaw, startRouter, until } from "./router-kit.ts";

const gatewayLog = createRecordingGatewayLog();

/** A service that records its own answers; the router must not record them. */
const service: ServiceHandler = async (req, res, context) => {
  if (req.url?.endsWith("/unreachable")) throw new Error("the service could not be reached");
  if (req.url?.endsWith("/midway")) {
    res.writeHead(200, { "content-length": 100 }).write("half");
    throw new Error("it broke off");
  }
  await echo(req, res, context);
};

let kit: RouterKit;
let caller: ReturnType<RouterKit["controlPlane"]["issueToken"]>;
let reader: ReturnType<RouterKit["controlPlane"]["issueToken"]>;
beforeAll(async () => {
  kit = await startRouter({ chat: service, gatewayLog, env: { BODY_SIZE_BYTES_MAX: "1024" } });
  caller = kit.controlPlane.issueToken();
  reader = kit.controlPlane.issueToken({ scopes: ["models"] });
});
afterAll(async () => await kit.close());

interface Sent {
  readonly method?: string;
  readonly token?: string;
  readonly body?: string;
}

/** Sends a request and returns its status and the router's entries. */
async function send(path: string, { method = "POST", token = caller.token, body }: Sent = {}) {
  const requestId = randomUUID();
  const headers = { authorization: `Bearer ${token}`, "x-request-id": requestId, "x-gatehouse-user": "ann" };
  const given = body ?? (method === "POST" ? "{}" : undefined);
  const reply = await fetch(kit.origin + path, { method, headers, ...(given === undefined ? {} : { body: given }) });
  const text = await reply.text().catch(() => "");
  const recorded = (): readonly GatewayLogEntry[] =>
    gatewayLog.entries.filter((entry) => entry.requestId === requestId);
  return { status: reply.status, text, recorded };
}

const path = (rest: string, uuid = caller.projectUuid) => `/api/${uuid}/${rest}`;

test.each([
  ["without a known token", 401, () => path("support"), { token: "svc_live_unknown" }, { route: "chat_direct" }],
  [
    "with another project's token",
    403,
    () => path("support", randomUUID()),
    {},
    { route: "chat_direct", isKnown: true },
  ],
  [
    "without the scope",
    403,
    () => path("support", reader.projectUuid),
    { reader: true },
    { route: "chat_direct", isReader: true },
  ],
  [
    "of the wrong type of project",
    400,
    () => path("v1/chat/completions"),
    {},
    { route: "wrapper_chat", isKnown: true },
  ],
  ["with the wrong method", 405, () => path("support"), { method: "PUT" }, { route: "chat_direct", isKnown: true }],
  [
    "with too large a body",
    413,
    () => path("support"),
    { body: "x".repeat(2_000) },
    { route: "chat_direct", isKnown: true },
  ],
  ["to an unknown path", 404, () => "/api/nothing", {}, { route: "none" }],
  ["to an unknown path outside the data plane", 404, () => "/nothing", {}, { route: "none" }],
  ["of the Control Plane without a known admin key", 401, () => "/control/mcp", {}, { route: "control_mcp" }],
  ["whose service cannot be reached", 500, () => path("unreachable"), {}, { route: "chat_direct", isKnown: true }],
])("a request %s gets one entry from the router", async (...row) => {
  const [, status, target, { reader: isReader, ...sent }, { route, ...who }] = row as unknown as [
    string,
    number,
    () => string,
    Sent & { readonly reader?: boolean },
    { readonly route: string; readonly isKnown?: boolean; readonly isReader?: boolean },
  ];
  const reply = await send(target(), { ...sent, ...(isReader === true ? { token: reader.token } : {}) });
  expect(reply.status).toBe(status);
  const known = who.isReader === true ? reader : caller;
  const isNamed = who.isKnown === true || who.isReader === true;
  expect(reply.recorded()).toEqual([
    expect.objectContaining({
      route,
      status,
      error: (JSON.parse(reply.text) as { error: string }).error,
      details: { method: sent.method ?? "POST" },
      user: isNamed ? "ann" : undefined,
      ...(isNamed ? { projectUuid: known.projectUuid, tokenId: known.tokenId } : {}),
    }),
  ]);
  if (!isNamed) expect(reply.recorded()[0]?.projectUuid).toBeUndefined();
});

test("a request that a service has answered, even partly, gets no entry from the router", async () => {
  expect((await send(path("support"))).recorded()).toEqual([]);
  await expect(send(path("midway")).then(({ recorded }) => recorded())).resolves.toEqual([]);
});

test("a request to a service in another process whose client leaves before its body has come gets one entry", async () => {
  const remote = await startRouter({ chat: { origin: "http://127.0.0.1:9" }, gatewayLog });
  const { token, projectUuid } = remote.controlPlane.issueToken();
  // Afterwards the token is known, so that the request is given to the service at once.
  await fetch(remote.origin + path("support", projectUuid), {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: "{}",
  });
  const head = [
    `POST ${path("support", projectUuid)} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${token}`,
    "x-gatehouse-user: leaves early",
    "te: trailers",
    "content-length: 20",
  ];
  const socket = connect(Number(new URL(remote.origin).port), "127.0.0.1");
  socket.write([...head, "", '{"message"'].join("\r\n"));
  const metrics = async () => await (await fetch(`${remote.operationsOrigin}/metrics`)).text();
  await until(async () => (await metrics()).includes("gatehouse_router_requests_in_flight 1"));
  socket.destroy();
  await until(async () => (await metrics()).includes("gatehouse_router_requests_in_flight 0"));
  const entries = gatewayLog.entries.filter(({ user }) => user === "leaves early");
  expect(entries).toEqual([expect.objectContaining({ route: "chat_direct", status: 499, projectUuid })]);
  await remote.close();
});

test("a request whose client resets its connection inside the body gets one entry", async () => {
  const { token, projectUuid } = kit.controlPlane.issueToken();
  const head = [
    `POST ${path("support", projectUuid)} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${token}`,
    "x-gatehouse-user: resets",
    "content-length: 20",
  ];
  const socket = connect(Number(new URL(kit.origin).port), "127.0.0.1");
  socket.write([...head, "", '{"message"'].join("\r\n"));
  await lapse(100, "time in which the router reads the beginning");
  socket.resetAndDestroy();
  const entries = () => gatewayLog.entries.filter(({ user }) => user === "resets");
  await vi.waitFor(() => expect(entries()).toHaveLength(1));
  expect(entries()).toEqual([
    expect.objectContaining({ route: "chat_direct", status: 499, projectUuid, errorCode: "cancelled" }),
  ]);
});

test("a request to a service in another process whose body is late gets one entry with the answer", async () => {
  const env = { REQUEST_TIMEOUT_MS: "200" };
  const remote = await startRouter({ chat: { origin: "http://127.0.0.1:9" }, gatewayLog, env });
  const { token, projectUuid } = remote.controlPlane.issueToken();
  const head = [
    `POST ${path("support", projectUuid)} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${token}`,
    "x-gatehouse-user: is late",
    "te: trailers",
    "content-length: 20",
  ];
  expect(await sendRaw(remote.origin, [...head, "", '{"message"'].join("\r\n"))).toMatch(/^HTTP\/1\.1 408 /);
  const entries = () => gatewayLog.entries.filter(({ user }) => user === "is late");
  await vi.waitFor(() => expect(entries()).toHaveLength(1));
  expect(entries()).toEqual([
    expect.objectContaining({
      status: 408,
      errorCode: "request_timeout",
      error: "The request did not arrive in time.",
    }),
  ]);
  await remote.close();
});

test.each(["support", "v1/models"])(
  "a request (%s) whose client leaves while a process of its service is looked for gets one entry",
  async (rest) => {
    const remote = await startRouter({ chat: { origin: "http://127.0.0.1:9" }, gatewayLog });
    const isRead = rest === "v1/models";
    const { token, projectUuid } = remote.controlPlane.issueToken(
      isRead ? { scopes: ["models"], projectType: "ai_wrapper" } : {},
    );
    const head = [
      `${isRead ? "GET" : "POST"} ${path(rest, projectUuid)} HTTP/1.1`,
      "host: localhost",
      `authorization: Bearer ${token}`,
      `x-gatehouse-user: waits for ${rest}`,
      ...(isRead ? [] : ["content-length: 2"]),
    ];
    const socket = connect(Number(new URL(remote.origin).port), "127.0.0.1");
    socket.write([...head, "", isRead ? "" : "{}"].join("\r\n"));
    const metrics = async () => await (await fetch(`${remote.operationsOrigin}/metrics`)).text();
    const isKnown = 'gatehouse_router_principal_cache_entries{cache="tokens"} 1';
    await until(async () => (await metrics()).includes(isKnown));
    socket.destroy();
    await until(async () => (await metrics()).includes("gatehouse_router_requests_in_flight 0"), 10_000);
    const entries = gatewayLog.entries.filter(({ user }) => user === `waits for ${rest}`);
    expect(entries).toEqual([expect.objectContaining({ status: 499, projectUuid, errorCode: "cancelled" })]);
    await remote.close();
  },
  20_000,
);

test("pages of the router itself get no entry", async () => {
  const admin = kit.controlPlane.issueAdminKey();
  for (const page of ["/", "/healthz", "/readyz", "/metrics"]) {
    const shown = await send(page, { method: "GET", token: admin });
    expect([page, shown.status, shown.recorded()]).toEqual([page, 200, []]);
  }
});

test("a wrong method on a page is recorded under the page's route", async () => {
  const { recorded } = await send("/healthz");
  await vi.waitFor(() => expect(recorded()).toMatchObject([{ route: "healthz", status: 405 }]));
});
