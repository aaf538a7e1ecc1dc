import { createArgumentsCheck, object } from "@gatehouse/admin";
import { expect, test } from "vitest";
import { endpoint } from "./endpoint-fields.ts";

const check = createArgumentsCheck(object(endpoint.updateInput));

test.each(["https://api.example.com/v2", "http://10.0.0.1:8080"])("%s is an upstream's URL", (url) => {
  expect(() => check({ upstream_url: url })).not.toThrow();
});

test.each([
  ["http://", /^upstream_url must be an http or https URL/],
  ["http://[", /^upstream_url must be an http or https URL/],
  ["https://api.example.com/?key=1", /^upstream_url must not have a query/],
  ["https://api.example.com/?", /^upstream_url must not have a query/],
  ["https://api.example.com/#x", /^upstream_url must not have a query or a fragment/],
])("%s is not an upstream's URL", (url, message) => {
  expect(() => check({ upstream_url: url })).toThrow(message);
});

test("a change with null as auth names what removes it", () => {
  expect(() => check({ auth: null })).toThrow(
    'auth must not be null: leave it out to keep it, or give {"type":"none"} to remove it',
  );
});

const header = (name: string, value = "v") => ({ type: "header", name, value });

test.each([
  { type: "none" },
  header("X-Api-Key"),
  header("Authorization", "Token abc def"),
  { type: "basic", username: "ann", password: "" },
  { type: "oauth", connection_id: 3 },
])("auth %o is accepted", (auth) => {
  expect(() => check({ auth })).not.toThrow();
});

test.each<[object, RegExp]>([
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
])("auth %o is refused without its secret in the message", (auth, message) => {
  expect(() => check({ auth })).toThrow(message);
  expect(() => check({ auth })).not.toThrow(/evil/);
});
