import { Secret } from "@gatehouse/vault";
import { expect, test } from "vitest";
import type { EndpointAuth, EndpointSettings } from "./endpoint.ts";
import { checkAuth, checkEndpointSettings } from "./endpoint-rules.ts";

const good: EndpointSettings = {
  slug: "weather",
  upstreamUrl: "https://api.example.com/v2",
  allowedMethods: ["GET", "POST"],
  timeoutMs: null,
  description: null,
};

test("a plain definition passes", () => {
  expect(() => checkEndpointSettings(good)).not.toThrow();
});

test.each<[Partial<EndpointSettings>, RegExp]>([
  [{ slug: "Weather" }, /^slug must be/],
  [{ slug: "mcp" }, /^slug 'mcp' is reserved/],
  [{ upstreamUrl: "api.example.com" }, /^upstream_url must be a URL/],
  [{ upstreamUrl: "ftp://api.example.com" }, /^upstream_url must be a URL/],
  [{ upstreamUrl: "https://api.example.com/?key=1" }, /^upstream_url must not have a query/],
  [{ upstreamUrl: "https://api.example.com/#x" }, /^upstream_url must not have a query or a fragment/],
  [{ allowedMethods: [] }, /^allowed_methods must have/],
  [{ allowedMethods: ["GET", "TRACE"] }, /^allowed_methods\[1\] must be one of/],
  [{ allowedMethods: ["CONNECT"] }, /^allowed_methods\[0\]/],
  [{ timeoutMs: 0 }, /^timeout_ms must be/],
  [{ description: "a\0b" }, /^description must not/],
])("%o is refused", (change, message) => {
  expect(() => checkEndpointSettings({ ...good, ...change })).toThrow(message);
});

const header = (name: string, value = "v"): EndpointAuth => ({ type: "header", name, value: new Secret(value) });
const basic = (username: string, password = "p"): EndpointAuth => ({
  type: "basic",
  username,
  password: new Secret(password),
});

test.each<[EndpointAuth]>([
  [{ type: "none" }],
  [header("X-Api-Key")],
  [header("Authorization", "Token abc def")],
  [basic("ann")],
  [basic("ann", "")],
  [{ type: "oauth", connectionId: 3 }],
])("auth %o passes", (auth) => {
  expect(() => checkAuth(auth)).not.toThrow();
});

test.each<[EndpointAuth, RegExp]>([
  [header("X Key"), /^auth.name must be the name/],
  [header("X-Key:"), /^auth.name must be the name/],
  [header("Host"), /^auth.name must not be 'Host'/],
  [header("Transfer-Encoding"), /the gateway sets it/],
  [header("Content-Length"), /the gateway sets it/],
  [header("X-Forwarded-For"), /the gateway sets it/],
  [header("x-gatehouse-principal"), /the gateway sets it/],
  [header("X-Key", "a\r\nHost: evil"), /^auth.value must be visible ASCII/],
  [header("X-Key", " a"), /^auth.value must be visible ASCII/],
  [header("X-Key", "caf\u00e9"), /^auth.value must be visible ASCII/],
  [header("X-Key", "a".repeat(8_193)), /^auth.value must have at most/],
  [basic("ann:x"), /^auth.username must not contain/],
  [basic("", ""), /^auth.username must not be empty/],
  [basic("ann", "a\nb"), /^auth.password must not have control/],
  [{ type: "oauth", connectionId: 0 }, /^auth.connection_id/],
])("auth %o is refused without its secret in the message", (auth, message) => {
  expect(() => checkAuth(auth)).toThrow(message);
  expect(() => checkAuth(auth)).not.toThrow(/evil/);
});
