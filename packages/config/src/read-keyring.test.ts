import { expect, test } from "vitest";
import { EnvReader } from "./env-reader.ts";
import { readKeyring } from "./read-keyring.ts";

const key = Buffer.alloc(32, 1).toString("base64");

test.each([
  [`k1:${key},k1:${key}`, "entry 2 has the id of an earlier entry"],
  [`k1:${key},k2:c2hvcnQ=`, "entry 2 must hold 32 bytes in base64"],
  [key, "entry 1 has no valid id; write it as id:base64key with an id of a-z, 0-9 and '-'"],
])("a wrong entry of the keyring is named by its position, and not shown", (keyring, problem) => {
  const env = new EnvReader({ GATEHOUSE_KEYRING: keyring });
  readKeyring(env);
  expect(() => env.finish()).toThrow(
    `The configuration has 1 problem(s):\n  - GATEHOUSE_KEYRING is not valid: ${problem}.`,
  );
});
