import { randomUUID } from "node:crypto";
import { principalContract, type PrincipalWorld } from "@gatehouse/principal/testing";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { openRpcChannel, type RpcChannel } from "@gatehouse/rpc";
import { afterAll, beforeAll, describe, test } from "vitest";
import { FakeControlPlane } from "./fake-control-plane.ts";
import { trust } from "./router-kit.ts";

let controlPlane: FakeControlPlane;
let channel: RpcChannel;
let world: PrincipalWorld;

beforeAll(async () => {
  controlPlane = new FakeControlPlane(trust.of("control-plane"));
  await controlPlane.start();
  const { address } = controlPlane;
  channel = openRpcChannel({ address, target: "control-plane", trust: trust.of("router"), timeoutMs: 2_000 });
  world = {
    client: channel.client(PrincipalServiceDefinition),
    issueToken: async () => await Promise.resolve(controlPlane.issueToken({ projectUuid: randomUUID() })),
    revoke: async (issued) => await Promise.resolve(controlPlane.revoke(issued)),
    changeProject: async (issued) => await Promise.resolve(controlPlane.changeProject(issued)),
    deleteProject: async (issued) => await Promise.resolve(controlPlane.deleteProject(issued)),
    trustIssuer: async ({ projectUuid }) => await Promise.resolve(controlPlane.trust(projectUuid)),
    issueAdminKey: async () => await Promise.resolve(controlPlane.issueAdminKey()),
    revokeAdminKey: async (key) => await Promise.resolve(controlPlane.revokeAdminKey(key)),
  };
});
afterAll(async () => {
  channel.close();
  await controlPlane.stop();
});

describe("the control plane of the router's tests", () => {
  test.each(Object.entries(principalContract))("%s", async (_name, check) => await check(world));
});
