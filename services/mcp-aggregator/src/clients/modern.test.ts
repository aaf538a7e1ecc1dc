import { JsonPart } from "@gatehouse/json";
import type { JsonObject } from "@gatehouse/json-rpc";
import { expect, test } from "vitest";
import { CallScope } from "./call-scope.ts";
import { toModernHeaders } from "./modern.ts";

async function headersOf(inputSchema: JsonObject, given: string): Promise<Record<string, string>> {
  using scope = new CallScope(60_000);
  const params = new Map([
    ["name", JsonPart.known('"find"', "string")],
    ["arguments", JsonPart.known(given, "object")],
  ]);
  const request = {
    method: "tools/call" as const,
    params,
    inputSchema,
    scope,
    sessionKey: "s",
    hops: "",
    traceparent: "",
  };
  const {
    "mcp-protocol-version": _version,
    "mcp-method": _method,
    ...rest
  } = await toModernHeaders({
    ...request,
    callerId: "1",
  });
  return rest;
}

const named = (header: string) => ({ type: "string", "x-mcp-header": header });

test("exactly the arguments for which the schema names a header are repeated in headers", async () => {
  const schema = {
    properties: {
      region: named("Region"),
      inner: { properties: { id: named("Id"), rest: {} } },
      count: named("Count"),
      on: named("On"),
      list: named("List"),
      none: named("None"),
      bad: named("two words"),
    },
  };
  const given = `{"region":"\\u0065u","inner":{"id":"ü","rest":1},"count":1e2,"on":true,"list":[1],"none":null,"bad":"b","more":"m"}`;
  expect(await headersOf(schema, given)).toEqual({
    "mcp-name": "find",
    "mcp-param-region": "eu",
    "mcp-param-id": "=?base64?w7w=?=",
    "mcp-param-count": "100",
    "mcp-param-on": "true",
  });
});

test("arguments named like prototype members are repeated only if the schema names them", async () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"x-mcp-header":"A"}}}') as JsonObject;
  expect(await headersOf(schema, '{"__proto__":"a","constructor":"c"}')).toEqual({
    "mcp-name": "find",
    "mcp-param-a": "a",
  });
});

test("megabytes of arguments are read in steps, and a value too long for a header is not repeated", async () => {
  const schema = { properties: { long: named("Long"), last: named("Last") } };
  const given = `{"long":"${"x".repeat(100_000)}","many":[${"[],".repeat(390_000)}0],"last":"z"}`;
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const headers = await headersOf(schema, given);
  isDone = true;
  expect(headers).toEqual({ "mcp-name": "find", "mcp-param-last": "z" });
  // Without pauses the loop would not have turned.
  expect(turns).toBeGreaterThan(5);
});
