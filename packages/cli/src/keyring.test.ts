import { expect, test } from "vitest";
import { keyIds, retireKeys, rotateKeyring } from "./keyring.ts";

const day = new Date("2026-11-22T12:00:00Z");
const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;

test("a rotation puts the new key first and keeps the others", () => {
  const rotated = rotateKeyring(`${entry("k1", 1)}, ${entry("k0", 0)}`, day);
  expect(keyIds(rotated)).toEqual(["k20261122", "k1", "k0"]);
  expect(rotated).toContain(entry("k0", 0));
  expect(rotateKeyring(entry("k1", 1), day)).not.toBe(rotateKeyring(entry("k1", 1), day));
  expect(keyIds(rotateKeyring(rotated, day))[0]).toBe("k20261122-2");
  expect(retireKeys(rotated)).toBe(rotated.split(",")[0]);
});

test.each(["", "k1", "k1:c2hvcnQ=", "K1:AAAA", `${entry("k1", 1)},,`, `${entry("k1", 1)},${entry("k1", 2)}`])(
  "%j is refused with the position of the entry",
  (text) => {
    expect(() => rotateKeyring(text, day)).toThrow(/^Keyring entry \d /);
  },
);

test("the error of an invalid entry does not contain it", () => {
  expect(() => keyIds("k1:s3cret")).not.toThrow("s3cret");
});
