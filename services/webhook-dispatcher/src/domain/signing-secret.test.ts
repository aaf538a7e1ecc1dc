import { expect, test } from "vitest";
import { promote, rotate, type SecretRecord, signersAt } from "./signing-secret.ts";

const now = new Date("2026-11-21T08:00:00.000Z");
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

function secret(version: number): SecretRecord {
  return { version, salt: Buffer.alloc(16, version), digest: Buffer.alloc(32, version), hint: `v${version}` };
}

function versions(secrets: Parameters<typeof signersAt>[0], at: Date) {
  const { first, second, isStaged } = signersAt(secrets, at);
  return { first: first.version, second: second?.version, isStaged };
}

const single = { latest: secret(1), previous: undefined };

test("a new secret signs first at once, and the old one beside it until the overlap ends", () => {
  const rotated = rotate(single, { next: secret(2), overlapSeconds: 60, staged: false, now });
  expect(versions(rotated, now)).toEqual({ first: 2, second: 1, isStaged: false });
  expect(versions(rotated, later(59))).toEqual({ first: 2, second: 1, isStaged: false });
  expect(versions(rotated, later(60))).toEqual({ first: 2, second: undefined, isStaged: false });
});

test("in a staged rotation the old secret signs first until the overlap ends", () => {
  const staged = rotate(single, { next: secret(2), overlapSeconds: 60, staged: true, now });
  expect(versions(staged, later(59))).toEqual({ first: 1, second: 2, isStaged: true });
  expect(versions(staged, later(60))).toEqual({ first: 2, second: undefined, isStaged: false });
});

test("a promoted rotation leaves the new secret alone", () => {
  const staged = rotate(single, { next: secret(2), overlapSeconds: 60, staged: true, now });
  expect(versions(promote(staged, now), now)).toEqual({ first: 2, second: undefined, isStaged: false });
  expect(() => promote(single, now)).toThrow("no rotation to promote");
  expect(() => promote(staged, later(60))).toThrow("no rotation to promote");
});

test("a rotation without an overlap ends every other secret", () => {
  const staged = rotate(single, { next: secret(2), overlapSeconds: 60, staged: true, now });
  const cut = rotate(staged, { next: secret(3), overlapSeconds: 0, staged: false, now });
  expect(versions(cut, now)).toEqual({ first: 3, second: undefined, isStaged: false });
});

test("no more than two secrets sign: a second rotation keeps the one that signed first", () => {
  const plain = rotate(single, { next: secret(2), overlapSeconds: 60, staged: false, now });
  const again = rotate(plain, { next: secret(3), overlapSeconds: 60, staged: false, now });
  expect(versions(again, now)).toEqual({ first: 3, second: 2, isStaged: false });
  const staged = rotate(single, { next: secret(2), overlapSeconds: 60, staged: true, now });
  const stagedAgain = rotate(staged, { next: secret(3), overlapSeconds: 60, staged: true, now });
  expect(versions(stagedAgain, now)).toEqual({ first: 1, second: 3, isStaged: true });
});
