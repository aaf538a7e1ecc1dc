import { afterEach, expect, test, vi } from "vitest";
import { firstEndpointOf, hasMcpTool, snippetsFor } from "./snippets.ts";

afterEach(() => void vi.unstubAllGlobals());

test.each(["ai_gateway", "ai_wrapper"] as const)("%s has advice for users of the Anthropic SDK", (project_type) => {
  vi.stubGlobal("location", { origin: "https://gate.example" });
  const snippets = snippetsFor({ uuid: "u", project_type }, "token");
  const anthropic = snippets.find(({ title }) => title === "Anthropic SDK");
  expect(anthropic?.note).toContain("create an API Gateway project with an endpoint for https://api.anthropic.com");
  expect(anthropic?.note).toContain(project_type === "ai_wrapper" ? "Use an OpenAI SDK" : "as the curl line does");
});

const place = { uuid: "u", project_type: "ai_gateway" } as const;
const endpoints = [
  { slug: "off", is_active: false },
  { slug: "plain", is_active: true },
  { slug: "worded", is_active: true, system_prompt: "You sell {{product}} in {{lang}}." },
];

test("a first call is for an active endpoint that the token may reach", () => {
  expect(firstEndpointOf(endpoints)?.slug).toBe("plain");
  expect(firstEndpointOf(endpoints, ["worded", "off"])?.slug).toBe("worded");
  expect(firstEndpointOf(endpoints, ["later"])?.slug).toBe("later");
  expect(firstEndpointOf([])).toBeUndefined();
});

test("a first call has a value for each variable of the endpoint's prompt", () => {
  vi.stubGlobal("location", { origin: "https://gate.example" });
  const [, , endpoint] = endpoints;
  const [chat] = snippetsFor(place, "token", { endpoint });
  expect(chat?.text).toContain(`-d '{"message": "Hello!", "variables": {"product": "<product>", "lang": "<lang>"}}'`);
  const [curl, python, node] = snippetsFor({ ...place, project_type: "ai_wrapper" }, "token", { endpoint });
  expect(curl?.text).toContain(
    `-d '{"model": "worded", "messages": [{"role": "user", "content": "Hello!"}], "variables": {"product": "<product>", "lang": "<lang>"}}'`,
  );
  expect(python?.text).toContain(`extra_body={"variables": {"product": "<product>", "lang": "<lang>"}},`);
  expect(node?.text).toContain(`variables: {"product": "<product>", "lang": "<lang>"},`);
});

test("a first call that the token's scopes do not allow names the missing scope", () => {
  vi.stubGlobal("location", { origin: "https://gate.example" });
  const [chat, mcp] = snippetsFor(place, "token", { scopes: ["chat"] });
  expect(chat?.text).toContain("curl -s https://gate.example/api/u/<endpoint>");
  expect(mcp).toMatchObject({ title: "MCP client", text: "", note: expect.stringContaining("scope mcp") as string });
});

test("the settings of an MCP client say so if the token reaches no endpoint that is an MCP tool", () => {
  vi.stubGlobal("location", { origin: "https://gate.example" });
  const offered = { slug: "help", is_active: true, expose_as_mcp_tool: true };
  expect(hasMcpTool([offered])).toBe(true);
  expect(hasMcpTool([offered], ["other"])).toBe(false);
  expect(hasMcpTool([{ ...offered, is_active: false }])).toBe(false);
  expect(hasMcpTool([{ ...offered, expose_as_mcp_tool: false }])).toBe(false);
  const [, empty] = snippetsFor(place, "token", { hasMcpTool: false });
  expect(empty?.note).toContain("Offer as MCP tool");
  expect(empty?.text).toContain("mcpServers");
  const [, full] = snippetsFor(place, "token");
  expect(full).not.toHaveProperty("note");
});

test("a first call begins the given session", () => {
  vi.stubGlobal("location", { origin: "https://gate.example" });
  const [chat] = snippetsFor(place, "token", { sessionId: "6a3c8f0e-4f2f-4d6e-9a34-1f0e2b7c5d11" });
  expect(chat?.text).toContain(`-d '{"message": "Hello!", "session_id": "6a3c8f0e-4f2f-4d6e-9a34-1f0e2b7c5d11"}'`);
});
