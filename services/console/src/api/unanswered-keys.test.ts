import { expect, test } from "vitest";
import { CallError } from "./call-error.ts";
import { UnansweredKeys } from "./unanswered-keys.ts";

const lost = new CallError("The gateway does not answer.", { status: 0 });
const refused = new CallError("Missing required argument: name", { status: 200, isPassing: false });

async function keyOf(keys: UnansweredKeys, args: object, failure?: CallError): Promise<string> {
  let used = "";
  const call = async (key: string) => {
    used = key;
    await (failure === undefined ? Promise.resolve() : Promise.reject(failure));
  };
  await keys.use({ ...args }, call).catch(() => {});
  return used;
}

test("values without an answer keep their key, whatever else was sent meanwhile", async () => {
  const keys = new UnansweredKeys();
  const first = await keyOf(keys, { name: "a" }, lost);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(await keyOf(keys, { name: "b" }, lost)).not.toBe(first);
  expect(await keyOf(keys, { name: "a" }, lost)).toBe(first);
  expect(await keyOf(keys, { name: "a" })).toBe(first);
});

test("values that were answered, or refused, are another call the next time", async () => {
  const keys = new UnansweredKeys();
  const first = await keyOf(keys, { name: "a" });
  const second = await keyOf(keys, { name: "a" }, refused);
  expect(second).not.toBe(first);
  expect(await keyOf(keys, { name: "a" })).not.toBe(second);
});
