import { expect, test } from "vitest";
import type { Principal } from "./principal.ts";
import { toUserName, userNameLengthMax, userOfRequest } from "./user-name.ts";

const token = { kind: "token" } as Principal;
const ofHeader = (value: string | undefined, principal: Principal | undefined = token) =>
  userOfRequest(value === undefined ? {} : { "x-gatehouse-user": value }, principal);
const asSent = (text: string) => Buffer.from(text, "utf8").toString("latin1");

test("a name is kept without surrounding white space", () => {
  expect(toUserName("  ann@example.com ")).toBe("ann@example.com");
  expect(toUserName("Ann Example")).toBe("Ann Example");
});

test.each([
  ["a line break", "ann\r\nstatus=200", "annstatus=200"],
  ["a terminal's escape", "\u001b[31mann\u0007", "[31mann"],
  ["NUL", "a\0nn", "ann"],
  ["an override of the direction", "ann\u202egpj", "anngpj"],
  ["invisible characters", "an\u200bn\u2028", "ann"],
  ["blank letters and fillers", "a\u2800n\u3164n\ufe0f", "ann"],
  ["half a surrogate pair", "a\ud800n", "a\ufffdn"],
])("a name with %s is repaired", (_, given, expected) => {
  expect(toUserName(given)).toBe(expected);
});

test.each([undefined, null, 7, {}, ["ann"], "", "  ", "\u0000\u200b"])("%j is not a user", (given) => {
  expect(toUserName(given)).toBeUndefined();
});

test("two Unicode spellings of a name are one user", () => {
  expect(toUserName("Rene\u0301")).toBe(toUserName("Ren\u00e9"));
});

test("a long name is cut between characters", () => {
  expect(toUserName("x".repeat(1_000_000))).toBe("x".repeat(userNameLengthMax));
  const cut = toUserName(`${"x".repeat(userNameLengthMax - 1)}😀`);
  expect(cut).toBe("x".repeat(userNameLengthMax - 1));
});

test("a header's bytes are read as UTF-8, else as Latin-1", () => {
  expect(ofHeader(asSent("Zoë"))).toBe("Zoë");
  expect(ofHeader("Zoë")).toBe("Zoë");
  expect(ofHeader(asSent("é".repeat(1_000)))).toBe("é".repeat(userNameLengthMax));
});

test("the header is ignored without a token", () => {
  expect(ofHeader("ann")).toBe("ann");
  expect(ofHeader(undefined)).toBeUndefined();
  expect(ofHeader("ann", { kind: "admin", name: "root" } as Principal)).toBeUndefined();
  expect(userOfRequest({ "x-gatehouse-user": "ann" }, undefined)).toBeUndefined();
});
