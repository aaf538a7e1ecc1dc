import { expect, test } from "vitest";
import { loadConfig } from "./config.ts";

const hostsOf = (environment: Parameters<typeof loadConfig>[0]) => {
  const { host, operations } = loadConfig(environment).router.router;
  return [host, operations.host];
};

test.each([undefined, "", " "])("without an address (%j) the gateway is reachable from this machine alone", (empty) => {
  expect(hostsOf({ HOST: empty, OPS_HOST: empty })).toEqual(["127.0.0.1", "127.0.0.1"]);
});

test.each([
  ["a password that is not encoded", "postgresql://user:hunter2#x@localhost/gatehouse", "must be a URL"],
  ["a port out of range", "postgresql://user:hunter2@localhost:99999/gatehouse", "must be a URL"],
  [
    "an absent file",
    "postgresql://user:hunter2@localhost/g?sslmode=verify-full&sslrootcert=/nowhere.pem",
    "/nowhere.pem (ENOENT)",
  ],
])("DATABASE_URL with %s stops the start, which names the setting and not the password", (_, url, problem) => {
  const load = () => loadConfig({ DATABASE_URL: url });
  expect(load).toThrow(/^The configuration has 1 problem\(s\):\n {2}- DATABASE_URL /);
  expect(load).toThrow(problem);
  expect(load).not.toThrow("hunter2");
});

test("an address that is set is taken", () => {
  expect(hostsOf({ HOST: "0.0.0.0", OPS_HOST: "10.0.0.1" })).toEqual(["0.0.0.0", "10.0.0.1"]);
});
