import { expect, test } from "vitest";
import { endpointArguments } from "./endpoint-arguments.ts";

const all = ["project", "slug", "targets", "expose_as_mcp_tool", "timeout_ms", "new_setting", "upstream_url", "auth"];

test("the form of an endpoint that calls models has every setting of the operation, also new ones", () => {
  expect(endpointArguments("ai_gateway", all)).toEqual([
    "slug",
    "targets",
    "expose_as_mcp_tool",
    "timeout_ms",
    "new_setting",
  ]);
  expect(endpointArguments("ai_wrapper", all)).not.toContain("expose_as_mcp_tool");
});

test("the form of an endpoint that passes requests on has other settings", () => {
  expect(endpointArguments("api_gateway", all)).toContain("upstream_url");
  expect(endpointArguments("api_gateway", all)).not.toContain("targets");
});
