import { GatewayError } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { guardOptionsOf, readSsrfCases, resolverOf } from "../test/ssrf-cases.ts";
import { parseEgressAllow } from "./egress-allow.ts";
import { createEgressGuard } from "./egress-guard.ts";
import { createFakeResolver } from "./testing.ts";

async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  const err = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(err).toBeInstanceOf(GatewayError);
  return err as GatewayError;
}

const cases = readSsrfCases();
/** A redirect's first hop is an ordinary public URL. */
const checkedCases = cases.map((line) => ({ ...line, verdict: line.reply === undefined ? line.verdict : "allow" }));

test.each(checkedCases)("$verdict $url ($why)", async (line) => {
  const guard = createEgressGuard(guardOptionsOf(line, resolverOf(line)));
  if (line.verdict === "allow") {
    await expect(guard.check(line.url)).resolves.toBeInstanceOf(URL);
    return;
  }
  const { code, message } = await failureOf(guard.check(line.url));
  const isResolverFailure =
    line.answers?.[0] === "error" || line.answers?.[0] === "timeout" || line.answers?.[0]?.length === 0;
  expect(code).toBe(isResolverFailure ? "upstream_unreachable" : "ssrf_blocked");
  expect(message).toBe(isResolverFailure ? "Upstream unreachable." : "Upstream URL blocked by SSRF guard.");
});

test("a refusal does not contain the address behind a name", async () => {
  const resolve = createFakeResolver({ "a.example.com": ["10.1.2.3"], "b.example.com": ["169.254.169.254"] }).resolve;
  const guard = createEgressGuard({ resolve });
  const [one, other] = [
    await failureOf(guard.check("http://a.example.com/")),
    await failureOf(guard.check("http://b.example.com/")),
  ];
  expect(one.details).toEqual({
    detail: "The host name resolves to an address that is not public. Ask the operator to open it with EGRESS_ALLOW.",
  });
  expect(other.details).toEqual(one.details);
});

test("a refusal is logged with its host, and without path, query or user info", async () => {
  const lines: unknown[] = [];
  const logger = { debug: (...fields: unknown[]) => void lines.push(fields) };
  const guard = createEgressGuard({ logger, ...createFakeResolver({ "a.example.com": ["10.1.2.3"] }) });
  await failureOf(guard.check("http://a.example.com/path?token=s3cret"));
  expect(() => guard.parse("http://user:s3cret@example.com/s3cret")).toThrow(GatewayError);
  expect(() => guard.parse("http://127.0.0.1/s3cret")).toThrow(GatewayError);
  expect(lines).toHaveLength(3);
  expect(JSON.stringify(lines)).toContain("a.example.com");
  expect(JSON.stringify(lines)).not.toContain("s3cret");
});

test("a name with a thousand addresses is refused for one that is forbidden", async () => {
  const many = Array.from({ length: 1_000 }, (_, i) => `93.184.${i >> 8}.${i & 255}`);
  const resolver = createFakeResolver({ "many.example.com": many, "bad.example.com": [...many, "10.0.0.1"] });
  const guard = createEgressGuard({ resolve: resolver.resolve });
  await expect(guard.check("http://many.example.com/")).resolves.toBeInstanceOf(URL);
  expect((await failureOf(guard.check("http://bad.example.com/"))).code).toBe("ssrf_blocked");
});

test.each([["fe80::1%eth0"], ["10.0.0.1 "], ["0x7f.1"], ["localhost"], [""]])(
  "a DNS answer that is not a plain address (%j) refuses the name",
  async (answer) => {
    const { resolve } = createFakeResolver({ "odd.example.com": ["93.184.216.34", answer] });
    expect((await failureOf(createEgressGuard({ resolve }).check("http://odd.example.com/"))).code).toBe(
      "ssrf_blocked",
    );
  },
);

test("a caller that aborts gets `cancelled`, although the DNS hangs", async () => {
  const guard = createEgressGuard({ resolve: createFakeResolver({ "slow.example.com": "timeout" }).resolve });
  const controller = new AbortController();
  const pending = failureOf(guard.check("http://slow.example.com/", controller.signal));
  controller.abort();
  expect((await pending).code).toBe("cancelled");
  expect((await failureOf(guard.check("http://slow.example.com/", controller.signal))).code).toBe("cancelled");
});

test.each([
  // An entry with a port opens that port only; without one, every port.
  ["127.0.0.1:9000", "http://127.0.0.1:9000/", true],
  ["127.0.0.1:9000", "http://127.0.0.1:9001/", false],
  ["127.0.0.1:9000", "http://127.0.0.2:9000/", false],
  ["127.0.0.1:9000", "http://[::ffff:127.0.0.1]:9000/", true],
  ["10.0.0.0/8", "http://10.9.8.7:1234/", true],
  ["10.0.0.0/8", "http://10.9.8.7:6379/", true],
  ["10.0.0.0/8:9000", "http://10.9.8.7:6379/", false],
  ["10.0.0.0/8:6379", "http://10.9.8.7:6379/", true],
  ["10.0.0.0/8:6379", "http://cache.example.com:6379/", true],
  ["93.184.216.34:22", "http://93.184.216.34:22/", true],
  ["::1", "http://[::1]:3000/", true],
  ["[fd00::/8]:8080", "http://[fd12::1]:8080/", true],
  ["[fd00::/8]:8080", "http://[fd12::1]/", false],
  // A name is opened by its own entry, or by entries for all of its addresses.
  ["host.docker.internal", "http://host.docker.internal:11434/", true],
  ["HOST.Docker.internal.", "http://host.docker.INTERNAL./", true],
  ["host.docker.internal:80", "http://host.docker.internal:11434/", false],
  ["172.18.0.0/16", "http://mcp-server:3000/", true],
  ["172.18.0.0/16", "http://mcp-server:5432/", true],
  ["127.0.0.1:3000", "http://localhost:3000/", true],
  ["127.0.0.1:3001", "http://localhost:3000/", false],
  ["10.0.0.0/8", "http://localhost:3000/", false],
  ["172.18.0.3", "http://two-homes:3000/", false],
  ["127.0.0.0/8,::1", "http://localhost:3000/", true],
  ["localhost", "http://localhost:3000/", true],
  ["localhost", "http://127.0.0.1:3000/", false],
  // No entry opens the floor.
  ["0.0.0.0/0,::/0", "http://169.254.169.254/", false],
  ["0.0.0.0/0,::/0", "http://[fd00:ec2::254]/", false],
  ["0.0.0.0/0,::/0", "http://[64:ff9b::a9fe:a9fe]/", false],
  ["0.0.0.0/0,::/0", "http://[2002:a9fe:a9fe::1]/", false],
  ["0.0.0.0/0,::/0", "http://168.63.129.16/", false],
  ["0.0.0.0/0,::/0", "http://0.0.0.0/", false],
  ["0.0.0.0/0,::/0", "http://[::]/", false],
  ["metadata.google.internal", "http://metadata.google.internal/", false],
  // A translation prefix opens only addresses whose embedded address is open.
  ["64:ff9b::/96", "http://[64:ff9b::808:808]/", true],
  ["64:ff9b::/96", "http://[64:ff9b::a00:1]/", false],
  ["64:ff9b::/96,10.0.0.0/8", "http://[64:ff9b::a00:1]/", true],
])("EGRESS_ALLOW=%s and %s: %s", async (allow, url, isOpen) => {
  const { resolve } = createFakeResolver({
    "cache.example.com": ["10.0.0.4"],
    "host.docker.internal": ["192.168.65.254"],
    "mcp-server": ["172.18.0.3"],
    "two-homes": ["172.18.0.3", "172.19.0.3"],
    localhost: ["127.0.0.1", "::1"],
    "metadata.google.internal": ["169.254.169.254"],
  });
  const guard = createEgressGuard({ allow: parseEgressAllow(allow), resolve });
  const code = await guard.check(url).then(
    () => "open",
    (err: GatewayError) => err.code,
  );
  expect(code).toBe(isOpen ? "open" : "ssrf_blocked");
});

test("a connection to localhost uses the opened family only", async () => {
  const { resolve } = createFakeResolver({ localhost: ["::1", "127.0.0.1"] });
  const guard = createEgressGuard({ allow: parseEgressAllow("127.0.0.1"), resolve });
  const target = { protocol: "http:", hostname: "localhost", port: 3000 } as const;
  expect(await guard.resolve(target, new AbortController().signal)).toEqual(["127.0.0.1"]);
});

test("the gateway's own address stays closed even if the operator opened it", () => {
  const guard = createEgressGuard({ allow: parseEgressAllow("127.0.0.1"), ownAddresses: ["127.0.0.1:8080"] });
  expect(guard.parse("http://127.0.0.1:8081/").port).toBe("8081");
  expect(() => guard.parse("http://127.0.0.1:8080/")).toThrow(GatewayError);
  expect(() => createEgressGuard({ ownAddresses: ["gateway.example.com"] })).toThrow(TypeError);
});

test("a URL whose name has no address yet may be saved, but not one with a forbidden address", async () => {
  const names = { "bad.example.com": ["10.0.0.1"], "good.example.com": ["93.184.216.34"] };
  const guard = createEgressGuard({ resolve: createFakeResolver(names).resolve });
  await expect(guard.checkToSave("https://nowhere.example.com/hook")).resolves.toBeInstanceOf(URL);
  await expect(guard.checkToSave("https://good.example.com/hook")).resolves.toBeInstanceOf(URL);
  expect((await failureOf(guard.checkToSave("https://bad.example.com/hook"))).code).toBe("ssrf_blocked");
  expect(await failureOf(guard.checkToSave("http://169.254.169.254/", "url"))).toMatchObject({
    code: "ssrf_blocked",
    details: { detail: expect.any(String) as string, argument: "url" },
  });
});

test("saving waits only briefly for a DNS that does not answer", async () => {
  const resolve = async () => await new Promise<readonly string[]>(() => {});
  const guard = createEgressGuard({ resolve, resolveTimeoutMs: 10 });
  await expect(guard.checkToSave("https://slow.example.com/hook")).resolves.toBeInstanceOf(URL);
});
