import type { lookup } from "node:dns";
import { isGatewayError } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { createFloorConnector, floorProblem } from "./floor-connector.ts";

test.each([
  "169.254.169.254",
  "[::ffff:169.254.169.254]",
  "100.100.100.200",
  "0.0.0.0",
  "[fe80::1]",
  "[64:ff9b::a9fe:a9fe]",
])("%s is never allowed", (host) => {
  expect(floorProblem(host)).toMatch(/^The address is never allowed \(.+\)\.$/);
});

test.each(["127.0.0.1", "10.0.0.1", "[fd00::1]", "192.168.1.1", "8.8.8.8", "ollama", "api.openai.com"])(
  "%s is allowed",
  (host) => {
    expect(floorProblem(host)).toBeUndefined();
  },
);

/** A resolver with these addresses for every name, which records its queries. */
function resolver(...addresses: string[]) {
  const asked: string[] = [];
  const resolve = (name: string, _options: unknown, callback: (err: null, found: object[]) => void) => {
    asked.push(name);
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    setImmediate(() => callback(null, found));
  };
  return { asked, resolve: resolve as unknown as typeof lookup };
}

async function connect(host: string, resolve: typeof lookup): Promise<Error | null> {
  const connector = createFloorConnector({ timeout: 1_000 }, resolve);
  const target = { hostname: host, host, protocol: "http:", port: "9" };
  return await new Promise((done) => {
    connector(target, (err, socket) => {
      socket?.destroy();
      done(err);
    });
  });
}

test("a literal address that is never allowed is refused without a connection", async () => {
  const { resolve, asked } = resolver();
  const err = await connect("169.254.169.254", resolve);
  expect(isGatewayError(err) && err.code).toBe("ssrf_blocked");
  expect(asked).toEqual([]);
});

test("a name is refused when one of its addresses is never allowed", async () => {
  for (const addresses of [["169.254.169.254"], ["127.0.0.1", "169.254.169.254"], ["::1", "::ffff:169.254.169.254"]]) {
    const err = await connect("metadata.example", resolver(...addresses).resolve);
    expect(isGatewayError(err) && err.code, addresses.join()).toBe("ssrf_blocked");
  }
});

test("a name with private addresses is resolved once and connected to", async () => {
  const { resolve, asked } = resolver("127.0.0.1");
  const err = await connect("ollama", resolve);
  // Nothing listens on the discard port.
  expect(err).toMatchObject({ code: "ECONNREFUSED" });
  expect(asked).toEqual(["ollama"]);
});
