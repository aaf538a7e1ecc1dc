import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../src/admin/operations.ts";
import { type RpcAnswer, run, send, startControlPlane, type TestControlPlane } from "./control-plane.ts";

let plane: TestControlPlane;
/** Names of existing resources, so that random calls pass the first check. */
let known: unknown[];

beforeAll(async () => {
  plane = await startControlPlane();
  const { uuid: project } = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "p",
    project_type: "ai_gateway",
  });
  const token = await run<{ id: number }>(plane.service, "svc_create_token", { project, name: "t", scopes: ["chat"] });
  const targets = [{ provider: "mock", model: "m" }];
  const endpoint = await run<{ uuid: string }>(plane.service, "svc_create_endpoint", { project, slug: "e" });
  known = [project, endpoint.uuid, token.id, targets, ["chat"], "mock", "ai_gateway", true, 1, 0.5, {}];
});

afterAll(async () => {
  await plane.stop();
});

const awkwardValues: readonly unknown[] = [
  [null, "", " ", "\0", "\ud800", "\udc00\ud800", "x".repeat(100_000), -0, 1e300, -1, 2_147_483_648, 1.5, 9e15],
  [[], [[]], {}, { a: null }, "__proto__", "constructor", "2027-13-45T99:99:99Z", "9999-12-31T23:59:59Z"],
  ["00000000-0000-0000-0000-000000000000", "'; DROP TABLE projects; --", "ÿ😀", [null, {}, []]],
].flat();
const awkward = fc.constantFrom(...awkwardValues);

/** Text, since JSON permits values that JSON.stringify never writes. */
const awkwardText = fc.constantFrom(
  "1e400",
  "-1e400",
  '{"__proto__":{"x":1}}',
  '{"a":1e999}',
  "[".repeat(90) + "]".repeat(90),
);

function callText(name: string, argumentNames: readonly string[]): fc.Arbitrary<string> {
  const value = fc.oneof(
    fc.nat().map((index) => JSON.stringify(known[index % known.length])),
    awkward.map((item) => JSON.stringify(item)),
    fc.json({ maxDepth: 3 }),
    awkwardText,
  );
  const member = fc.tuple(fc.constantFrom(...argumentNames, "extra", "__proto__"), value);
  const args = fc.uniqueArray(member, { maxLength: 12, selector: ([key]) => key }).map((members) => {
    return `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
  });
  return fc.oneof({ weight: 9, arbitrary: args }, { weight: 1, arbitrary: fc.json() }).map((text) => {
    return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${text}}}`;
  });
}

function argumentNames({ inputSchema }: { readonly inputSchema: { readonly properties?: unknown } }): string[] {
  return Object.keys(inputSchema.properties ?? {});
}

test("no arguments cause an internal error: each call succeeds or is refused", async () => {
  const calls = fc.tuple(...operations.map((operation) => callText(operation.name, argumentNames(operation))));
  let succeeded = 0;
  await fc.assert(
    fc.asyncProperty(calls, async (texts) => {
      const { status, text } = await send(plane.service, { body: `[${texts.join(",")}]` });
      expect(status).toBe(200);
      for (const { result, error } of JSON.parse(text) as RpcAnswer[]) {
        if (result !== undefined) succeeded++;
        else
          expect({ code: error?.code, message: error?.message }).toEqual({ code: -32602, message: expect.any(String) });
        expect(error?.message.length ?? 0).toBeLessThan(1_000);
      }
    }),
    { numRuns: 150 },
  );
  expect(succeeded).toBeGreaterThan(0);
});
