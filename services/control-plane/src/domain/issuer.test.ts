import { createArgumentsCheck, object } from "@gatehouse/admin";
import { expect, test } from "vitest";
import { issuer } from "./issuer.ts";

const check = createArgumentsCheck(object(issuer.updateInput));

test("a change with null as scopes names the list that withdraws them", () => {
  expect(() => check({ scopes: null })).toThrow(
    "scopes must not be null: leave it out to keep it, or give [] to remove it",
  );
  expect(check({ scopes: [] })).toEqual({ scopes: [] });
});

test.each(["issuer", "audience"])("a change with null as %s is refused", (name) => {
  expect(() => check({ [name]: null })).toThrow(`${name} must not be null: leave it out to keep it`);
});

test.each(["scope_claim", "jwks_url", "rate_limit_per_minute"])("null is a value of %s", (name) => {
  expect(check({ [name]: null })).toEqual({ [name]: null });
});
