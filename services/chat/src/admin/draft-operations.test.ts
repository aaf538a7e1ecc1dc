import { GatewayError } from "@gatehouse/errors";
import type { CheckText } from "@gatehouse/json-schema";
import { expect, test } from "vitest";
import type { AdminContext } from "./admin-context.ts";
import { draftOperations } from "./draft-operations.ts";

const [, checkSample] = draftOperations;
const initiator = { actor: "admin_key:test", ipAddress: "", project: null, traceparent: "" };

async function check(input: object, checkDraft: CheckText) {
  const call = { projectType: "", isForNamedProjects: true, signal: AbortSignal.timeout(60_000) };
  // `checkText`, the thread of calls, is absent: a draft must not use it.
  const context = { checkDraft } as AdminContext;
  return await checkSample.call({ ...call, initiator, input: { project: "p", ...input } }, context);
}

test("a schema that is not saved is compiled by the checker of drafts alone", async () => {
  const asked: unknown[] = [];
  const checkDraft: CheckText = async (...args) => {
    asked.push(args.slice(0, 2));
    return await Promise.resolve({ kind: "checked", violations: [] });
  };
  // A schema that does not compile.
  const schema = { pattern: "^(?=a)" };
  expect(await check({ schema, sample: "{}" }, checkDraft)).toEqual({ violations: [] });
  expect(asked).toEqual([[{ source: schema, field: "schema" }, "{}"]]);
});

test("a schema that the checker refuses and a sample over the bound are invalid arguments", async () => {
  const refuse = async () => await Promise.reject(new GatewayError("invalid_argument", "schema is none"));
  await expect(check({ schema: {}, sample: "1" }, refuse)).rejects.toThrow("schema is none");
  const long = `"${"a".repeat(1_000_000)}"`;
  await expect(check({ schema: {}, sample: long }, refuse)).rejects.toThrow(/sample must have at most 1000000/);
});
