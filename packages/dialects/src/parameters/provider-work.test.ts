import { expect, test } from "vitest";
import { findProviderWork } from "./provider-work.ts";

const ofTool = (tool: unknown) => findProviderWork({ tools: [{ type: "function", function: { name: "f" } }, tool] });

test.each([
  [{ type: "function", function: { name: "f", parameters: { properties: { server_url: {} } } } }],
  [{ function: { name: "f" } }],
  [{ type: "custom", custom: { name: "c" } }],
])("a tool that the caller runs is not found: %j", (tool) => {
  expect(ofTool(tool)).toBeUndefined();
});

test.each([
  [{ type: "web_search" }, "web_search"],
  [{ type: "code_interpreter", container: { type: "auto" } }, "code_interpreter"],
  [{ google_search: {} }, "google_search"],
  [{ type: 7 }, "type"],
])("a tool that the provider runs is found: %j", (tool, kind) => {
  expect(ofTool(tool)).toEqual({ name: "tools", kind, chooses: false });
});

test.each([
  [{ type: "mcp", server_label: "x", server_url: "https://evil.example" }, "mcp"],
  [{ type: "MCP" }, "MCP"],
  [{ type: "search", connector_id: "c" }, "search"],
  [{ type: "function", function: { name: "f" }, serverUrl: "https://evil.example" }, "function"],
  [{ mcpServers: [] }, "mcpServers"],
])("a tool that names a server chooses it, beside any other tool: %j", (tool, kind) => {
  const tools = [{ type: "web_search" }, tool];
  expect(findProviderWork({ tools })).toEqual({ name: "tools", kind, chooses: true });
});

test("a search, and a text stored at the provider, are found by their parameters", () => {
  expect(findProviderWork({ web_search_options: {} })).toMatchObject({ name: "web_search_options", chooses: false });
  expect(findProviderWork({ previous_response_id: "resp_1" })).toMatchObject({ name: "previous_response_id" });
  expect(findProviderWork({ enable_search: false, tools: "none" })).toBeUndefined();
});
