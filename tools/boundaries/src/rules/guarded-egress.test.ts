import { expect, test } from "vitest";
import { breachesOf, manifest } from "../testing/in-memory-repository.ts";

const file = (text: string, path = "services/api-proxy/src/clients/a.ts") => ({
  "services/api-proxy/package.json": manifest("@x/api-proxy"),
  [path]: text,
});

test.each([
  [`import { Agent } from "undici";`, "imports undici"],
  [`import * as tls from "node:tls";`, "imports node:tls"],
  [`import { connect } from "node:net";`, "imports node:net"],
  [`import http from "node:http";`, "imports node:http"],
  [`import { request } from "node:https";`, "imports node:https"],
  [`await fetch("http://example.com");`, "calls fetch"],
])("a service that calls foreign addresses may not: %s", (text, problem) => {
  expect(breachesOf("guarded-egress", file(text))).toEqual([
    `services/api-proxy/src/clients/a.ts:1 ${problem}, an egress beside packages/egress`,
  ]);
});

test.each([
  [`import type { Dispatcher } from "undici";`],
  [`import { isIP } from "node:net";`],
  [`import { createServer } from "node:http";`],
  [`const { body } = await guarded.fetch("http://example.com");`],
])("a service that calls foreign addresses may: %s", (text) => {
  expect(breachesOf("guarded-egress", file(text))).toEqual([]);
});

test("its tests and other services are free", () => {
  const text = `import { Agent } from "undici";`;
  expect(breachesOf("guarded-egress", file(text, "services/api-proxy/src/clients/a.test.ts"))).toEqual([]);
  expect(breachesOf("guarded-egress", file(text, "services/chat/src/clients/a.ts"))).toEqual([]);
});
