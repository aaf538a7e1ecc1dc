import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { mintToken } from "@gatehouse/principal";
import { afterEach, expect, it } from "vitest";
import { type RouterKit, startRouter } from "./router-kit.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(env: Readonly<Record<string, string>> = {}) {
  const gatewayLog = createRecordingGatewayLog();
  // Each test simulates several clients.
  const kit = await startRouter({ gatewayLog, env: { TRUSTED_PROXIES: "127.0.0.1", ...env } });
  stops.push(async () => await kit.close());
  return { kit, gatewayLog };
}

// oxlint-disable-next-line max-params -- four plain values say more here than an object of them.
async function post(kit: RouterKit, path: string, bearer: string, from = "203.0.113.1") {
  const headers = { authorization: `Bearer ${bearer}`, "x-forwarded-for": from };
  const reply = await fetch(kit.origin + path, { method: "POST", headers, body: "{}" });
  const body = (await reply.json()) as { error?: string };
  return { status: reply.status, error: body.error, retryAfter: Number(reply.headers.get("retry-after")) };
}

it("guesses of admin keys are delayed per address, without delay of other keys or keys in use", async () => {
  const { kit } = await start();
  const [inUse, another] = [kit.controlPlane.issueAdminKey(), kit.controlPlane.issueAdminKey()];
  expect((await post(kit, "/control/mcp", inUse)).status).toBe(200);
  let guesses = 0;
  const wrong = async () => await post(kit, "/control/mcp", `svc_admin_${String((guesses += 1)).padStart(40, "w")}`);
  const statuses: number[] = [];
  for (let n = 0; n < 30; n++) statuses.push((await wrong()).status);
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(12);
  const refused = await wrong();
  expect(refused).toMatchObject({ status: 429, error: "Too many wrong admin keys have come from this address." });
  expect(refused.retryAfter).toBeGreaterThanOrEqual(1);
  expect((await post(kit, "/control/mcp", inUse)).status).toBe(200);
  expect((await post(kit, "/control/mcp", another)).status).toBe(429);
  expect((await post(kit, "/control/mcp", another, "203.0.113.2")).status).toBe(200);
  expect(kit.controlPlane.adminAttempts.length).toBeLessThanOrEqual(16);
});

it("a repeated wrong admin key is delayed, without delay of other keys of its address", async () => {
  const { kit } = await start();
  const right = kit.controlPlane.issueAdminKey();
  const statuses: number[] = [];
  for (let n = 0; n < 30; n++) statuses.push((await post(kit, "/control/mcp", `svc_admin_${"w".repeat(40)}`)).status);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect((await post(kit, "/control/mcp", right)).status).toBe(200);
});

it("unknown tokens of one address ask the control plane a bounded number of times; tokens in use are served", async () => {
  const { kit } = await start({ STRANGER_LOOKUPS_PER_MINUTE: "20" });
  const known = kit.controlPlane.issueToken();
  const path = `/api/${known.projectUuid}/s`;
  expect((await post(kit, path, known.token)).status).toBe(200);
  const asked = kit.controlPlane.resolves.length;
  const statuses: number[] = [];
  for (let n = 0; n < 100; n++) statuses.push((await post(kit, path, mintToken("live").reveal())).status);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(kit.controlPlane.resolves.length - asked).toBeLessThanOrEqual(25);
  expect((await post(kit, path, known.token)).status).toBe(200);
  expect((await post(kit, path, kit.controlPlane.issueToken().token, "203.0.113.2")).status).toBe(403);
  const metrics = await (await fetch(`${kit.operationsOrigin}/metrics`)).text();
  expect(metrics).toMatch(/gatehouse_router_credential_refusals_total\{credential="token"\} [1-9]/);
});

it("requests without a known caller write a bounded number of log entries, and a count of the rest", async () => {
  const { kit, gatewayLog } = await start({ STRANGER_LOG_ENTRIES_PER_MINUTE: "5" });
  const known = kit.controlPlane.issueToken();
  for (let n = 0; n < 50; n++) await post(kit, "/nothing", "x");
  for (let n = 0; n < 10; n++) await post(kit, `/api/${known.projectUuid}/s`, "x", "203.0.113.2");
  for (let n = 0; n < 10; n++) await post(kit, "/api/other-project/s", known.token);
  const statuses = gatewayLog.entries.map(({ status }) => status);
  expect(statuses.filter((status) => status === 404).length).toBe(5);
  expect(statuses.filter((status) => status === 401).length).toBe(5);
  expect(statuses.filter((status) => status === 403).length).toBe(10);
  await kit.router.stop();
  expect(gatewayLog.entries.slice(-2)).toMatchObject([
    { route: "unauthenticated", details: { requests: 45, address: "203.0.113.1" } },
    { route: "unauthenticated", details: { requests: 5, address: "203.0.113.2" } },
  ]);
});
