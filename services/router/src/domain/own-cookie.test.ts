import { expect, test } from "vitest";
import { OwnCookie } from "./own-cookie.ts";

const cookie = new OwnCookie("gatehouse_session", "Strict", "/control");

test("under TLS a cookie has the prefix __Host-, which no sibling host can set, and its attributes", () => {
  expect(cookie.set("x", true)).toBe("__Host-gatehouse_session=x; HttpOnly; SameSite=Strict; Path=/; Secure");
  expect(cookie.end(true)).toBe("__Host-gatehouse_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0; Secure");
  expect(cookie.set("x", false, 5)).toBe("gatehouse_session=x; HttpOnly; SameSite=Strict; Path=/control; Max-Age=5");
});

test("under TLS a cookie without the prefix, which a sibling host may have set, is ignored", () => {
  const planted = ["Cookie", "gatehouse_session=planted"];
  const both = ["Cookie", "gatehouse_session=planted; __Host-gatehouse_session=own"];
  expect(cookie.read(planted, true)).toEqual([]);
  expect(cookie.read(both, true)).toEqual(["own"]);
  expect(cookie.read(both, false)).toEqual(["own"]);
  expect(cookie.read(planted, false)).toEqual(["planted"]);
});
