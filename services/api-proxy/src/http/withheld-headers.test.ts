import { expect, test } from "vitest";
import { isWithheld, withheldOfReply } from "./withheld-headers.ts";

test.each(
  [
    ["x-tunnel-method", "x_tunnel_method", "x-http-method-override", "x-waws-unencoded-url", "http-x-rewrite-url"],
    ["http_x_rewrite_url", "http-url", "x-scheme", "x-url-scheme", "front-end-https"],
    ["x-azure-clientip", "x-appengine-user-ip", "x-proxyuser-ip"],
  ].flat(),
)("a caller's %s, which makes some servers take another request, is not forwarded", (name) => {
  expect(isWithheld(name)).toBe(true);
});

test.each(["x-client-id", "x-original-filename", "x-color-scheme", "referer", "range", "via", "x-tunnel-id"])(
  "%s passes",
  (name) => {
    expect(isWithheld(name)).toBe(false);
  },
);

test("a name is judged alike each time, even after more names than are cached", () => {
  expect(isWithheld("x-forwarded-remembered")).toBe(true);
  expect(isWithheld("x-remembered")).toBe(false);
  for (let at = 0; at < 2_000; at += 1) expect(isWithheld(`x-name-${at}`)).toBe(false);
  for (const name of ["x-forwarded-remembered", "x-original-late-url", `x-forwarded-${"long".repeat(50)}`]) {
    for (let times = 0; times < 2; times += 1) expect(isWithheld(name)).toBe(true);
  }
  for (let times = 0; times < 2; times += 1) expect(isWithheld("x-remembered")).toBe(false);
});

test("an upstream cannot make a server in front of the gateway send a file instead of its reply", () => {
  const names = ["x-accel-redirect", "x-accel-buffering", "x-sendfile", "x-reproxy-url", "x-lighttpd-send-file"];
  for (const name of names) expect(withheldOfReply.has(name)).toBe(true);
  for (const name of ["etag", "x-sum", "accel-x"]) expect(withheldOfReply.has(name)).toBe(false);
});
