import { expect, test } from "vitest";
import { endpointArguments } from "./endpoint-arguments.ts";

const all = ["project", "slug", "targets", "expose_as_mcp_tool", "timeout_ms", "new_setting", "upstream_url", "auth"];

test("a setting that the operation has is in the form of endpoints that call models, whatever it is", () => {
  expect(endpointArguments("ai_gateway", all)).toEqual([
    "slug",
    "targets",
    "expose_as_mcp_tool",
    "timeout_ms",
    "new_setting",
  ]);
  expect(endpointArguments("ai_wrapper", all)).not.toContain("expose_as_mcp_tool");
});

test("endpoints that pass requests on have other settings", () => {
  expect(endpointArguments("api_gateway", all)).toContain("upstream_url");
  expect(endpointArguments("api_gateway", all)).not.toContain("targets");
});
