import { type IssuedToken, principalContract, type PrincipalWorld } from "@gatehouse/principal/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

let plane: TestControlPlane;
let world: PrincipalWorld;

beforeAll(async () => {
  plane = await startControlPlane();
  const keyIds = new Map<string, number>();
  const call = async <Result>(name: string, args: object) => await run<Result>(plane.service, name, args);
  world = {
    client: plane.principals,
    async issueToken() {
      const project = await call<{ uuid: string }>("svc_create_project", { name: "p", project_type: "ai_gateway" });
      const wanted = { project: project.uuid, name: "t", scopes: ["chat"] };
      const { id, token } = await call<{ id: number; token: string }>("svc_create_token", wanted);
      return { token, tokenId: id, projectUuid: project.uuid };
    },
    revoke: async ({ tokenId }: IssuedToken) => void (await call("svc_revoke_token", { token_id: tokenId })),
    changeProject: async ({ projectUuid }) =>
      void (await call("svc_update_project", { project: projectUuid, name: "renamed" })),
    deleteProject: async ({ projectUuid }) => void (await call("svc_delete_project", { project: projectUuid })),
    async trustIssuer({ projectUuid }) {
      const issuer = { issuer: "https://id.example.com", jwks_url: "http://127.0.0.1:9/keys", audience: "gatehouse" };
      await call("svc_create_issuer", { project: projectUuid, scopes: ["mcp"], ...issuer });
    },
    async issueAdminKey() {
      const wanted = { name: `key ${keyIds.size}`, role: "viewer" };
      const { id, key } = await call<{ id: number; key: string }>("svc_create_admin_key", wanted);
      keyIds.set(key, id);
      return key;
    },
    revokeAdminKey: async (key) => void (await call("svc_revoke_admin_key", { admin_key_id: keyIds.get(key) })),
  };
});
afterAll(async () => await plane.stop());

describe("the control plane", () => {
  test.each(Object.entries(principalContract))("%s", async (_name, check) => await check(world));
});
