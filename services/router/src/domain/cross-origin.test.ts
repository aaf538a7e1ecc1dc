import { expect, test } from "vitest";
import { createCrossOrigin } from "./cross-origin.ts";
import { createDataMatcher } from "./route-matcher.ts";
import { routes } from "./route-table.ts";

const site = "https://chat.example.com";
const crossOrigin = createCrossOrigin([site]);
const groupOf = (tail: string) => {
  const found = createDataMatcher(routes)(`/api/u/${tail}`);
  if (found === undefined) throw new Error("no such route");
  return found.group;
};

test("no origin is allowed unless it is named, and no reply varies then", () => {
  const none = createCrossOrigin([]);
  expect([none.isAllowed(site), none.replyHeaders(site)]).toEqual([false, {}]);
});

test.each([
  undefined,
  "null",
  "https://evil.example",
  `${site}.evil.example`,
  "http://chat.example.com",
  `${site}:444`,
])("%s may read nothing", (origin) => {
  expect(crossOrigin.replyHeaders(origin)).toEqual({ vary: "Origin" });
});

test("an allowed origin is named as the browser has sent it, and never any origin", () => {
  const headers = crossOrigin.replyHeaders("https://CHAT.example.com");
  expect(headers).toMatchObject({ vary: "Origin", "access-control-allow-origin": "https://CHAT.example.com" });
  expect(headers["access-control-expose-headers"]).toContain("Retry-After");
  expect(headers).not.toHaveProperty("access-control-allow-credentials");
});

test.each([
  ["mcp", "POST"],
  ["v1/chat/completions", "POST"],
  ["v1/models", "GET"],
  ["support", "POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
])("a preflight at %s is answered %s", (tail, methods) => {
  const preflight = { requestHeaders: "authorization,x-gatehouse-user", asksForPrivateNetwork: false };
  expect(crossOrigin.preflightHeaders(groupOf(tail), preflight)).toEqual({
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "authorization,x-gatehouse-user",
    "access-control-max-age": "600",
  });
});

test.each([undefined, "", "a\r\nset-cookie: x", "x".repeat(5_000), "é"])(
  "invalid names of headers are ignored: %j",
  (names) => {
    const headers = crossOrigin.preflightHeaders(groupOf("mcp"), {
      requestHeaders: names,
      asksForPrivateNetwork: true,
    });
    expect(headers).toMatchObject({
      "access-control-allow-headers": "authorization, content-type",
      "access-control-allow-private-network": "true",
    });
  },
);
