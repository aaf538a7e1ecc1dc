import { createServer, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { targetOf } from "../src/egress-url.ts";
import {
  createEgressDispatcher,
  type EgressDispatcherOptions,
  createEgressGuard,
  createGuardedFetch,
  parseEgressAllow,
} from "../src/index.ts";
import { type ConnectionOptions, openConnection } from "../src/open-connection.ts";
import { createFakeNetwork, createFakeResolver } from "../src/testing.ts";
import { createCertificate } from "./certificate.ts";
import { startLoopback } from "./loopback.ts";

const publicAddress = "93.184.216.34";

/** Opens a connection like the dispatcher. */
async function openTo(url: URL, options: ConnectionOptions) {
  return await openConnection(targetOf(url), options);
}

/** A dispatcher over the real loopback, with `EGRESS_ALLOW`. */
function openDispatcher(allow: string, options: Partial<EgressDispatcherOptions> = {}) {
  const resolver = createFakeResolver();
  const guard = createEgressGuard({ allow: parseEgressAllow(allow), resolve: resolver.resolve });
  const dispatcher = createEgressDispatcher({ guard, ...options });
  return { resolver, guard, dispatcher, [Symbol.asyncDispose]: () => dispatcher.destroy() };
}

/** A dispatcher whose network is one loopback port. */
function fakeDispatcher(port: number, options: Partial<EgressDispatcherOptions> = {}) {
  const network = createFakeNetwork(() => port);
  return { network, ...openDispatcher("", { openSocket: network.openSocket, ...options }) };
}

test("the loopback is closed, until EGRESS_ALLOW opens its port", async () => {
  await using server = await startLoopback((_req, res) => res.end("hello"));
  await using closed = openDispatcher("");
  await using opened = openDispatcher(`127.0.0.1:${server.port}`);
  const request = { origin: `http://127.0.0.1:${server.port}`, path: "/", method: "GET" } as const;
  await expect(closed.dispatcher.request(request)).rejects.toMatchObject({
    code: "ssrf_blocked",
    message: "Upstream URL blocked by SSRF guard.",
    details: { detail: "The address is not public (loopback). Ask the operator to open it with EGRESS_ALLOW." },
  });
  expect(server.requests).toHaveLength(0);
  expect(await (await opened.dispatcher.request(request)).body.text()).toBe("hello");
});

test("a name whose later answer is internal is refused at the next connection", async () => {
  await using server = await startLoopback((_req, res) => res.writeHead(200, { connection: "close" }).end());
  await using egress = fakeDispatcher(server.port);
  egress.resolver.set("rebind.example.com", [publicAddress], ["127.0.0.1"]);
  const request = { origin: "http://rebind.example.com", path: "/", method: "GET" } as const;
  await (await egress.dispatcher.request(request)).body.dump();
  await expect(egress.dispatcher.request(request)).rejects.toMatchObject({ code: "ssrf_blocked" });
  expect(egress.network.dialled).toEqual([publicAddress]);
  expect(server.requests).toHaveLength(1);
});

test("an idle connection is reused without another DNS query", async () => {
  await using server = await startLoopback((_req, res) => res.end());
  await using egress = fakeDispatcher(server.port, { connectionsMax: 1 });
  egress.resolver.set("a.example.com", [publicAddress]);
  for (let i = 0; i < 3; i += 1) {
    const reply = await egress.dispatcher.request({ origin: "http://a.example.com", path: "/", method: "GET" });
    await reply.body.dump();
  }
  expect(egress.resolver.questions).toHaveLength(1);
  expect(egress.network.dialled).toHaveLength(1);
});

test("a DNS that hangs is bounded by the connection's deadline", async () => {
  await using egress = openDispatcher("", { connectTimeoutMs: 30 });
  egress.resolver.set("slow.example.com", "timeout");
  await expect(
    egress.dispatcher.request({ origin: "http://slow.example.com", path: "/", method: "GET" }),
  ).rejects.toMatchObject({
    code: "upstream_unreachable",
    details: { detail: "The host did not answer within 30 ms." },
  });
});

test("a server that accepts the connection and never speaks TLS is bounded by the same deadline", async () => {
  const server = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await using egress = fakeDispatcher(port, { connectTimeoutMs: 50 });
    egress.resolver.set("mute.example.com", [publicAddress]);
    await expect(
      egress.dispatcher.request({ origin: "https://mute.example.com", path: "/", method: "GET" }),
    ).rejects.toMatchObject({ code: "upstream_unreachable" });
    // Resolves only if the connection has been ended.
    await new Promise((resolve) => server.close(resolve));
  } finally {
    server.close();
  }
});

test("the next address is tried when the first one refuses, up to a few of a thousand", async () => {
  await using server = await startLoopback((_req, res) => res.end("second"));
  await using egress = openDispatcher("127.0.0.0/8");
  egress.resolver.set("two.example.com", ["127.0.0.2", "127.0.0.1"]);
  const reply = await egress.dispatcher.request({
    origin: `http://two.example.com:${server.port}`,
    path: "/",
    method: "GET",
  });
  expect(await reply.body.text()).toBe("second");

  await using many = fakeDispatcher(server.port);
  many.resolver.set(
    "many.example.com",
    Array.from({ length: 1_000 }, (_, i) => `93.184.${i >> 8}.${i & 255}`),
  );
  await (await many.dispatcher.request({ origin: "http://many.example.com", path: "/", method: "GET" })).body.dump();
  expect(many.network.dialled).toHaveLength(6);
});

test.each<[string, string | undefined, string]>([
  ["ends elsewhere than it was sent is dropped", "10.0.0.1", "ssrf_blocked"],
  ["its server ended as it was opened is reported as such", undefined, "upstream_unreachable"],
])("a connection that %s before a byte goes out", async (_outcome, remoteAddress, code) => {
  await using server = await startLoopback((_req, res) => res.end());
  const { openSocket } = createFakeNetwork(() => server.port);
  await using egress = openDispatcher("", {
    openSocket: (options) => Object.defineProperty(openSocket(options), "remoteAddress", { value: remoteAddress }),
  });
  egress.resolver.set("a.example.com", [publicAddress]);
  const request = egress.dispatcher.request({ origin: "http://a.example.com", path: "/", method: "GET" });
  await expect(request).rejects.toMatchObject({ code });
  expect(server.requests).toHaveLength(0);
});

test("the error of a refused connection does not contain the address", async () => {
  await using egress = openDispatcher("127.0.0.0/8");
  const server = await startLoopback((_req, res) => res.end());
  await server[Symbol.asyncDispose]();
  egress.resolver.set("gone.example.com", ["127.0.0.1"]);
  await expect(
    egress.dispatcher.request({ origin: `http://gone.example.com:${server.port}`, path: "/", method: "GET" }),
  ).rejects.toMatchObject({ code: "upstream_unreachable", details: { detail: "The connection was refused." } });
});

test("a compressed reply is passed on unchanged", async () => {
  const body = gzipSync("x".repeat(100_000));
  await using server = await startLoopback((_req, res) => res.writeHead(200, { "content-encoding": "gzip" }).end(body));
  await using egress = openDispatcher("127.0.0.1");
  const origin = `http://127.0.0.1:${server.port}`;
  const reply = await egress.dispatcher.request({ origin, path: "/", method: "GET" });
  expect(Buffer.from(await reply.body.arrayBuffer())).toEqual(body);
  const response = await createGuardedFetch(egress.dispatcher)(origin);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(body);
  expect(server.requests[1]?.headers["accept-encoding"]).toBe("identity");
});

test("proxy variables are ignored", async () => {
  await using server = await startLoopback((_req, res) => res.end("direct"));
  await using proxy = await startLoopback((_req, res) => res.end("proxy"));
  const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
  try {
    await using egress = openDispatcher("127.0.0.1");
    const response = await createGuardedFetch(egress.dispatcher)(`http://127.0.0.1:${server.port}/`);
    expect(await response.text()).toBe("direct");
    expect(proxy.requests).toHaveLength(0);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

test("TLS: the server is asked for the URL's name, gets its Host, and must prove that name", async () => {
  const certificate = createCertificate(["good.example.com", publicAddress]);
  await using server = await startLoopback((_req, res) => res.end("secure"), certificate);
  await using egress = fakeDispatcher(server.port, { ca: certificate.cert });
  egress.resolver.set("good.example.com", [publicAddress]);
  egress.resolver.set("other.example.com", [publicAddress]);
  const get = (host: string, headers = {}) =>
    egress.dispatcher.request({ origin: `https://${host}`, path: "/", method: "GET", headers });

  expect(await (await get("good.example.com")).body.text()).toBe("secure");
  expect(server.requests[0]?.headers.host).toBe("good.example.com");
  expect(server.requests[0]?.socket).toHaveProperty("servername", "good.example.com");

  // An address is not sent as a server name; the certificate must contain it.
  await (await get(publicAddress)).body.dump();
  expect(server.requests[1]?.socket).toHaveProperty("servername", false);

  const refused = {
    code: "upstream_unreachable",
    details: { detail: "The TLS handshake failed: check the host's certificate." },
  };
  await expect(get("other.example.com")).rejects.toMatchObject(refused);
  // A caller's Host header does not select the name that the server has to prove.
  await expect(get("other.example.com", { host: "good.example.com" })).rejects.toMatchObject(refused);
  expect(server.requests).toHaveLength(2);
});

test("TLS: a certificate without a trusted issuer is refused", async () => {
  await using server = await startLoopback((_req, res) => res.end(), createCertificate(["good.example.com"]));
  await using egress = fakeDispatcher(server.port);
  egress.resolver.set("good.example.com", [publicAddress]);
  await expect(createGuardedFetch(egress.dispatcher)("https://good.example.com/")).rejects.toMatchObject({
    code: "upstream_unreachable",
    details: { detail: "The TLS handshake failed: check the host's certificate." },
  });
  expect(server.requests).toHaveLength(0);
});

test("a guarded fetch sends method, headers and body, and gives status, headers and body", async () => {
  await using server = await startLoopback((req, res) => {
    req.pipe(res.writeHead(201, { "x-method": req.method ?? "", "set-cookie": ["a=1", "b=2"] }));
  });
  await using egress = openDispatcher("127.0.0.1");
  const response = await createGuardedFetch(egress.dispatcher)(new URL(`http://127.0.0.1:${server.port}/token?x=1`), {
    method: "POST",
    headers: { authorization: "Basic abc", host: "elsewhere.example.com" },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  expect([response.status, response.headers.get("x-method"), response.headers.getSetCookie()]).toEqual([
    201,
    "POST",
    ["a=1", "b=2"],
  ]);
  expect(await response.text()).toBe("grant_type=client_credentials");
  const { headers, url } = server.requests[0] ?? {};
  expect(url).toBe("/token?x=1");
  expect(headers).toMatchObject({
    authorization: "Basic abc",
    host: `127.0.0.1:${server.port}`,
    "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
  });
});

test("a guarded fetch follows no redirect: it fails, or gives the reply itself when asked to", async () => {
  await using server = await startLoopback((_req, res) => res.writeHead(302, { location: "/next" }).end());
  await using egress = openDispatcher("127.0.0.1");
  const fetch = createGuardedFetch(egress.dispatcher);
  const url = `http://127.0.0.1:${server.port}/`;
  await expect(fetch(url)).rejects.toMatchObject({ code: "upstream_unreachable" });
  await expect(fetch(url, { redirect: "error" })).rejects.toMatchObject({ code: "upstream_unreachable" });
  expect((await fetch(url, { redirect: "manual" })).headers.get("location")).toBe("/next");
  expect(server.requests.map((req) => req.url)).toEqual(["/", "/", "/"]);
});

test("a guarded fetch is bounded in size and in time, and ends when its caller aborts", async () => {
  await using server = await startLoopback((req, res) => {
    if (req.url === "/large") res.end("x".repeat(2_000));
    else res.write("a drop");
  });
  await using egress = openDispatcher("127.0.0.1");
  const origin = `http://127.0.0.1:${server.port}`;
  const small = createGuardedFetch(egress.dispatcher, { bodySizeBytesMax: 1_000 });
  await expect(small(`${origin}/large`)).rejects.toMatchObject({
    details: { detail: "The reply is larger than 1000 bytes." },
  });
  const short = createGuardedFetch(egress.dispatcher, { timeoutMs: 50 });
  await expect(short(`${origin}/drip`)).rejects.toMatchObject({
    code: "upstream_unreachable",
    details: { detail: "The host did not answer within 50 ms." },
  });
  const controller = new AbortController();
  const pending = createGuardedFetch(egress.dispatcher)(`${origin}/drip`, { signal: controller.signal });
  controller.abort();
  await expect(pending).rejects.toMatchObject({ code: "cancelled" });
});

test("a raw connection, plain or over TLS, is guarded like every other", async () => {
  const certificate = createCertificate(["ws.example.com"]);
  await using server = await startLoopback((_req, res) => res.end(), certificate);
  const { openSocket, dialled } = createFakeNetwork(() => server.port);
  const { resolve } = createFakeResolver({ "ws.example.com": [publicAddress], "in.example.com": ["10.0.0.1"] });
  const options = { guard: createEgressGuard({ resolve }), openSocket, timeoutMs: 5_000, ca: certificate.cert };

  const secure = await openTo(new URL("https://ws.example.com/socket"), options);
  expect(secure).toMatchObject({ authorized: true, encrypted: true });
  secure.destroy();
  const plain = await openTo(new URL("http://ws.example.com/socket"), options);
  expect(plain).not.toHaveProperty("encrypted");
  plain.destroy();
  await expect(openTo(new URL("http://in.example.com/"), options)).rejects.toMatchObject({
    code: "ssrf_blocked",
  });
  await expect(openTo(new URL("ftp://ws.example.com/"), options)).rejects.toMatchObject({
    code: "ssrf_blocked",
  });
  await expect(
    openTo(new URL("http://ws.example.com/"), { ...options, signal: AbortSignal.abort() }),
  ).rejects.toMatchObject({ code: "cancelled" });
  expect(dialled).toEqual([publicAddress, publicAddress]);
});

test.each([
  ["the system's", () => ({})],
  ["that of tests", (port: number) => ({ openSocket: createFakeNetwork(() => port).openSocket })],
])("a network, %s, connects to the address that was judged, and refuses where nothing listens", async (_name, open) => {
  const server = await startLoopback((_req, res) => res.end());
  const options = { ...open(server.port), timeoutMs: 2_000 };
  const { resolve } = createFakeResolver({ "a.example.com": ["127.0.0.1"] });
  const guard = createEgressGuard({ allow: parseEgressAllow("127.0.0.0/8"), resolve });
  const url = new URL(`http://a.example.com:${server.port}`);
  const socket = await openTo(url, { guard, ...options });
  expect(socket.remoteAddress).toBe("127.0.0.1");
  socket.destroy();
  await server[Symbol.asyncDispose]();
  await expect(openTo(url, { guard, ...options })).rejects.toMatchObject({ code: "upstream_unreachable" });
});
