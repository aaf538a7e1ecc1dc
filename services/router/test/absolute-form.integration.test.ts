import { afterAll, beforeAll, expect, test } from "vitest";
import { echo, type RouterKit, sendRaw, startRouter } from "./router-kit.ts";

/** Request targets in absolute form (RFC 9112, section 3.2.2), as sent by clients that use the gateway as a proxy. */

let kit: RouterKit;
let uuid: string;
let token: string;
let limited: string;
let foreign: string;
beforeAll(async () => {
  kit = await startRouter({
    chat: echo,
    bridge: echo,
    env: { PATH_LENGTH_MAX: "300", ALLOWED_ORIGINS: "https://a.example" },
  });
  ({ token, projectUuid: uuid } = kit.controlPlane.issueToken({ scopes: ["chat", "mcp"] }));
  limited = kit.controlPlane.issueToken({ scopes: [] }).token;
  foreign = kit.controlPlane.issueToken().projectUuid;
});
afterAll(async () => await kit.close());

interface Sent {
  readonly method?: string;
  readonly host?: string;
  readonly bearer?: string;
  readonly lines?: readonly string[];
}

async function send(target: string, { method = "POST", host = "localhost", bearer = token, lines = [] }: Sent = {}) {
  const head = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${bearer}`, ...lines];
  const text = await sendRaw(
    kit.origin,
    `${[...head, "Connection: close", "Content-Length: 2"].join("\r\n")}\r\n\r\n{}`,
  );
  const [top = "", sent = ""] = text.split("\r\n\r\n");
  // Without chunk sizes.
  const body = sent.replaceAll(/^[0-9a-f]+\r?$|\r/gm, "");
  const [status = ""] = top.split("\r\n");
  return { status: Number(status.split(" ")[1]), top, body };
}

/** Reply without its ids and times. */
function comparable({ status, body, top }: Awaited<ReturnType<typeof send>>) {
  const names = top
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(":")[0]?.toLowerCase());
  return { status, names, body: body.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|req-[0-9a-f]+-\w+/g, "…") };
}

test("an absolute URL is answered like its path: route, authentication and guards", async () => {
  const paths: readonly (readonly [string, Sent?])[] = [
    [`/api/${uuid}/support?x=http://a/`],
    [`/api/${uuid}/support`, { bearer: "svc_live_unknown" }],
    [`/api/${uuid}/support`, { bearer: "nothing" }],
    [`/api/${uuid}/support`, { bearer: limited }],
    [`/api/${foreign}/support`],
    [`/api/${uuid}/support`, { method: "GET" }],
    [`/api/${uuid}/mcp`],
    [`/api/${uuid}/mcp`, { method: "GET" }],
    [`/api/${uuid}/../${foreign}/support`],
    [`//api/${uuid}/support`],
    [`/api/${uuid}/`],
    [`/api/${uuid}/${"a".repeat(300)}`],
    ["/nothing"],
    ["/healthz", { method: "GET" }],
    ["/metrics", { method: "GET" }],
    ["/", { method: "GET" }],
    ["/control/mcp"],
    [
      `/api/${uuid}/support`,
      { method: "OPTIONS", lines: ["Origin: https://a.example", "Access-Control-Request-Method: POST"] },
    ],
    [`/api/${uuid}/support`, { method: "GET", lines: ["Connection: Upgrade", "Upgrade: websocket"] }],
  ];
  const statuses = new Set<number>();
  for (const [path, sent] of paths) {
    const asPath = await send(path, sent);
    statuses.add(asPath.status);
    for (const scheme of ["http", "HTTPS"]) {
      const asUrl = await send(`${scheme}://localhost${path}`, sent);
      expect([path, sent, comparable(asUrl)]).toEqual([path, sent, comparable(asPath)]);
    }
  }
  expect([...statuses].toSorted((one, other) => one - other)).toEqual([200, 400, 401, 403, 404, 405]);
  expect(JSON.parse((await send(`http://localhost/api/${uuid}/support?x=y`)).body)).toMatchObject({
    path: `/api/${uuid}/support?x=y`,
  });
  expect((await send("http://localhost", { method: "GET" })).status).toBe(200);
});

test("the host of the URL counts, with any Host header", async () => {
  const at = async (named: string, host: string) => await send(`http://${named}/api/${uuid}/mcp`, { host });
  expect((await at("localhost", "rebound.example")).status).toBe(200);
  const refused = await at("rebound.example", "localhost");
  expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
    403,
    { error: "Host 'rebound.example' is not allowed." },
  ]);
});

test.each([
  "ftp://localhost/",
  "http:///api/x/y",
  "http://user@localhost/",
  "http://localhost:70000/",
  "http://local host/",
  "http://localhost/x#y",
  "http://localhost\\@rebound.example/",
  "javascript:alert(1)",
])("%s is refused", async (target) => {
  const { status, top, body } = await send(target);
  expect([status, JSON.parse(body)]).toMatchObject([
    400,
    { ok: false, error: expect.stringContaining("malformed") as string },
  ]);
  expect(top).toMatch(/connection: close/i);
});

test.each([
  ["two hosts", ["Host: localhost"], "more than one Host header"],
  ["two lengths", ["Content-Length: 3"], "malformed"],
  ["a length and chunks", ["Transfer-Encoding: chunked"], "malformed"],
  ["a folded line", [" folded: x"], "malformed"],
])("%s in the head are refused beside a URL, too", async (_problem, lines, message) => {
  const { status, body } = await send(`http://localhost/api/${uuid}/support`, { lines });
  expect(status).toBe(400);
  expect(body).toContain(message);
});

test("the authority and asterisk forms of a target are refused", async () => {
  const star = await send("*", { method: "OPTIONS" });
  expect([star.status, JSON.parse(star.body)]).toMatchObject([
    404,
    { error: expect.stringContaining("nothing at this path") as string },
  ]);
  for (const target of ["localhost:443", "http://localhost/"]) {
    const tunnel = await send(target, { method: "CONNECT" });
    expect([tunnel.status, JSON.parse(tunnel.body)]).toMatchObject([405, { ok: false }]);
  }
});
