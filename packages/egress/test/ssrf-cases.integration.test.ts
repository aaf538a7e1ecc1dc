import { expect, test } from "vitest";
import { createEgressDispatcher } from "../src/egress-dispatcher.ts";
import { createEgressGuard } from "../src/egress-guard.ts";
import { targetOf } from "../src/egress-url.ts";
import { createGuardedFetch } from "../src/guarded-fetch.ts";
import { openConnection } from "../src/open-connection.ts";
import { createFakeNetwork } from "../src/testing.ts";
import { createCertificate } from "./certificate.ts";
import { startLoopback } from "./loopback.ts";
import { guardOptionsOf, readSsrfCases, resolverOf } from "./ssrf-cases.ts";

const cases = readSsrfCases();
const allowedHosts = cases
  .filter(({ verdict, reply }) => verdict === "allow" || reply !== undefined)
  .map(({ url }) => new URL(url).hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, ""));
const certificate = createCertificate([...new Set(allowedHosts)]);

test.each(cases)("over a connection: $verdict $url ($why)", async (line) => {
  const { status, headers } = line.reply ?? { status: 200, headers: {} };
  const isSecure = /^https:/i.test(line.url);
  await using server = await startLoopback(
    (_req, res) => res.writeHead(status, headers).end("body"),
    isSecure ? certificate : undefined,
  );
  const network = createFakeNetwork(() => server.port);
  const resolver = resolverOf(line);
  const guard = createEgressGuard(guardOptionsOf(line, resolver));
  const { openSocket } = network;
  const dispatcher = createEgressDispatcher({
    guard,
    openSocket,
    connectTimeoutMs: line.answers?.[0] === "timeout" ? 50 : 5_000,
    ca: certificate.cert,
  });
  try {
    if (line.verdict === "block" && line.reply === undefined) {
      // The connection is guarded even without the earlier check.
      const url = URL.parse(line.url);
      await expect(createGuardedFetch(dispatcher)(line.url)).rejects.toMatchObject({
        code: expect.stringMatching(/^(ssrf_blocked|upstream_unreachable)$/),
      });
      if (url !== null && !line.why.includes("[policy]")) {
        const fresh = createEgressGuard(guardOptionsOf(line, resolverOf(line)));
        const open = async () => await openConnection(targetOf(url), { guard: fresh, openSocket, timeoutMs: 50 });
        await expect(open()).rejects.toThrow();
      }
      expect(network.dialled).toEqual([]);
      expect(server.requests).toEqual([]);
      return;
    }
    const url = guard.parse(line.url);
    const reply = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      body: "sent",
    });
    expect(reply.statusCode).toBe(status);
    expect(await reply.body.text()).toBe("body");
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers.host).toBe(url.host);
    const [answer] = line.answers ?? [];
    expect(network.dialled).toEqual(Array.isArray(answer) ? answer : [url.hostname.replace(/^\[(.*)\]$/, "$1")]);
    if (line.neverConnect !== undefined) expect(network.dialled).not.toContain(line.neverConnect);
    expect(resolver.questions.length).toBe(line.answers === undefined ? 0 : 1);
  } finally {
    await dispatcher.destroy();
  }
});
