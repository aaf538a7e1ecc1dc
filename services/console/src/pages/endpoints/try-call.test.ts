import { expect, test } from "vitest";
import type { Endpoint, Project } from "../../api/types.ts";
import { firstCall, methodsOf, pathWith, takesBody } from "./try-call.ts";

const projectOf = (project_type: Project["project_type"]) => ({ uuid: "u", project_type }) as Project;
const endpointOf = (members: Partial<Endpoint>) => ({ slug: "e", ...members }) as Endpoint;

test("a first call has the variables of the endpoint's prompt", () => {
  const endpoint = endpointOf({ system_prompt: "You sell {{product}}." });
  const bodies = (["ai_gateway", "ai_wrapper"] as const).map((type) => firstCall(projectOf(type), endpoint).body);
  for (const body of bodies) expect(JSON.parse(body ?? "")).toMatchObject({ variables: { product: "" } });
  expect(firstCall(projectOf("ai_gateway"), endpointOf({})).body).not.toContain("variables");
});

test("a first call of an API Gateway uses a method that the endpoint allows", () => {
  const api = projectOf("api_gateway");
  expect(firstCall(api, endpointOf({ allowed_methods: ["post", "get"] }))).toMatchObject({ method: "GET", body: undefined }); // prettier-ignore
  expect(firstCall(api, endpointOf({ allowed_methods: ["post"] }))).toMatchObject({ method: "POST", body: "{}" });
  expect(methodsOf(endpointOf({ allowed_methods: ["post", "HEAD"] })).filter(takesBody)).toEqual(["POST"]);
});

test("an added path is appended to the endpoint's", () => {
  expect(pathWith("/api/u/e", "")).toBe("/api/u/e");
  expect(pathWith("/api/u/e", " items?limit=2 ")).toBe("/api/u/e/items?limit=2");
  expect(pathWith("/api/u/e", "/items")).toBe("/api/u/e/items");
  expect(pathWith("/api/u/e", "?limit=2")).toBe("/api/u/e?limit=2");
});
