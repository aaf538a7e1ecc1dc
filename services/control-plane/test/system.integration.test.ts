import { GatewayError } from "@gatehouse/errors";
import type { Principal } from "@gatehouse/principal";
import type { GetStateResponse } from "@gatehouse/proto/service-state";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admin, run, send, startControlPlane, type TestControlPlane } from "./control-plane.ts";

const state: GetStateResponse = {
  version: "9.9.9",
  runtime: "24.0.0",
  host: "chat-1",
  startedAtMs: Date.parse("2026-11-22T10:00:00Z"),
  ready: false,
  problems: ["database: the database is not available"],
  backlogs: [{ name: "audit events to send", count: 3, oldestMs: 12_300 }],
};

const away = async () => await Promise.reject(new GatewayError("unavailable", "The service is not available."));

let controlPlane: TestControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({
    peers: {
      services: [
        { name: "chat", client: { getState: async () => await Promise.resolve(state) } },
        { name: "logbook", client: { getState: away } },
      ],
    },
  });
});
afterAll(async () => await controlPlane.stop());

test("shows the router, the Control Plane itself, a service with a problem, and one that is not reached", async () => {
  const { services } = await run<{ services: readonly object[] }>(controlPlane.service, "svc_get_system", {});
  expect(services).toEqual([
    { name: "router", state: "ready", problems: [], backlogs: [] },
    expect.objectContaining({ name: "control-plane", state: "ready", problems: [], version: expect.any(String) }),
    {
      name: "chat",
      state: "not_ready",
      problems: ["database: the database is not available"],
      version: "9.9.9",
      runtime: "Node 24.0.0",
      host: "chat-1",
      started_at: "2026-11-22T10:00:00.000Z",
      backlogs: [{ name: "audit events to send", count: 3, oldest_seconds: 12 }],
    },
    { name: "logbook", state: "not_reached", problems: [], backlogs: [] },
  ]);
});

test("shows the router that the call came through, with the state that it has sent", async () => {
  const router = {
    version: "9.9.8",
    runtime: "24.1.0",
    host: "edge-2",
    startedAtMs: Date.parse("2026-11-22T11:00:00Z"),
  };
  const params = { name: "svc_get_system", arguments: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const { text } = await send(controlPlane.service, { body, router });
  const { result } = JSON.parse(text) as { result: { structuredContent: { services: readonly object[] } } };
  expect(result.structuredContent.services[0]).toEqual({
    name: "router",
    state: "ready",
    problems: [],
    backlogs: [],
    version: "9.9.8",
    runtime: "Node 24.1.0",
    host: "edge-2",
    started_at: "2026-11-22T11:00:00.000Z",
  });
});

test.each(["owner", "editor", "viewer"] as const)(
  "is not shown to a key of the role %s that is limited to some projects",
  async (role) => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "svc_get_system", arguments: {} },
    });
    const askAs = async (projects: readonly string[] | null) =>
      (await send(controlPlane.service, { body, principal: { ...admin, role, projects } as Principal })).text;
    expect(await askAs(["3f1d7b1e-4a5e-4b37-9a5b-0c1f4f3b6a10"])).toMatch(/Not allowed: .*for the whole gateway/);
    expect(await askAs(null)).toContain("control-plane");
  },
);
