import { Secret } from "@gatehouse/vault";
import { expect, test } from "vitest";
import type { EndpointAuth } from "./endpoint.ts";
import { checkAuth, checkUpstreamUrl } from "./endpoint-rules.ts";

test.each(["https://api.example.com/v2", "http://10.0.0.1:8080"])("%s is an upstream's URL", (url) => {
  expect(() => checkUpstreamUrl(url)).not.toThrow();
});

test.each([
  ["http://", /^upstream_url must be an http or https URL/],
  ["https://api.example.com/?key=1", /^upstream_url must not have a query/],
  ["https://api.example.com/?", /^upstream_url must not have a query/],
  ["https://api.example.com/#x", /^upstream_url must not have a query or a fragment/],
])("%s is no upstream's URL", (url, message) => {
  expect(() => checkUpstreamUrl(url)).toThrow(message);
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
  [basic("", ""), /^auth.username must not be empty/],
  [{ type: "oauth", connectionId: 0 }, /^auth.connection_id/],
])("auth %o is refused without its secret in the message", (auth, message) => {
  expect(() => checkAuth(auth)).toThrow(message);
  expect(() => checkAuth(auth)).not.toThrow(/evil/);
});
