import { Secret } from "@gatehouse/vault";
import { expect, test } from "vitest";
import { checkAuth } from "./endpoint-rules.ts";
import type { EndpointAuth } from "./endpoint.ts";

const basic = (username: string, password: string): EndpointAuth => ({
  type: "basic",
  username,
  password: new Secret(password),
});

test("basic auth needs a user or a password", () => {
  expect(() => checkAuth(basic("ann", ""))).not.toThrow();
  expect(() => checkAuth(basic("", "p"))).not.toThrow();
  expect(() => checkAuth(basic("", ""))).toThrow(/^auth.username must not be empty/);
});
