import { expect, test } from "vitest";
import { CallError } from "./call-error.ts";
import type { Arguments } from "./control-plane.ts";
import { UnansweredKeys } from "./unanswered-keys.ts";

const lost = new CallError("The gateway does not answer.", { status: 0 });
const refused = new CallError("Missing required argument: name", { status: 200, isPassing: false });
const operation = "svc_create_token";

interface Sent {
  readonly key: string;
  readonly args: Arguments;
  readonly error: unknown;
}

async function send(keys: UnansweredKeys, args: Arguments, failure?: CallError): Promise<Sent> {
  let used = { key: "", args: {} as Arguments };
  const error = await keys
    .use({ operation, args }, async (key, sent) => {
      used = { key, args: sent };
      await (failure === undefined ? Promise.resolve() : Promise.reject(failure));
    })
    .catch((err: unknown) => err);
  return { ...used, error };
}

test("values without an answer keep their key, also after other calls", async () => {
  const keys = new UnansweredKeys();
  const { key: first } = await send(keys, { name: "a" }, lost);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect((await send(keys, { name: "b" }, lost)).key).not.toBe(first);
  expect((await send(keys, { name: "a" }, lost)).key).toBe(first);
  expect((await send(keys, { name: "a" })).key).toBe(first);
});

test("values that were answered or refused get a new key the next time", async () => {
  const keys = new UnansweredKeys();
  const { key: first } = await send(keys, { name: "a" });
  const second = await send(keys, { name: "a" }, refused);
  expect(second.key).not.toBe(first);
  expect(second.error).toBe(refused);
  expect((await send(keys, { name: "a" })).key).not.toBe(second.key);
});

test("values in another order have the same key, and are sent in the first order", async () => {
  const keys = new UnansweredKeys();
  const first = await send(keys, { name: "a", limits: { hour: 1, day: 2 } }, lost);
  const second = await send(keys, { limits: { day: 2, hour: 1 }, name: "a" });
  expect(second.key).toBe(first.key);
  expect(JSON.stringify(second.args)).toBe(JSON.stringify(first.args));
});

test("another operation with the same values gets another key", async () => {
  const keys = new UnansweredKeys();
  const { key: first } = await send(keys, { name: "a" }, lost);
  let other = "";
  await keys.use({ operation: "svc_create_webhook", args: { name: "a" } }, async (key) => {
    other = key;
    return await Promise.resolve();
  });
  expect(other).not.toBe(first);
});

test("a change without an answer is found by its operation and some values, and its error allows another try", async () => {
  const keys = new UnansweredKeys();
  const { error } = await send(keys, { project: "p", name: "a" }, lost);
  expect(String(error)).toContain("it is saved once");
  expect(keys.has(operation, { project: "p" })).toBe(true);
  expect(keys.has(operation, { project: "q" })).toBe(false);
  expect(keys.has("svc_create_webhook", {})).toBe(false);
  await send(keys, { project: "p", name: "a" });
  expect(keys.has(operation, {})).toBe(false);
});

test("the newest of many changes without an answer are kept", async () => {
  const keys = new UnansweredKeys();
  const sent = [];
  for (let name = 0; name <= 100; name += 1) sent.push(await send(keys, { name }, lost));
  expect((await send(keys, { name: 1 })).key).toBe(sent[1]?.key);
  expect((await send(keys, { name: 0 })).key).not.toBe(sent[0]?.key);
});
