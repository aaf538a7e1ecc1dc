import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { toOriginForm } from "./request-target.ts";

function request(url: string) {
  return { url, headers: { host: "of-the-header" } } as unknown as IncomingMessage;
}

test.each([
  ["http://a.example/api/x?y=z", "/api/x?y=z", "a.example"],
  ["HTTPS://A.example:8443/x", "/x", "A.example:8443"],
  ["http://a.example", "/", "a.example"],
  ["http://a.example:", "/", "a.example:"],
  ["http://a.example?q=/x", "/?q=/x", "a.example"],
  ["http://[::1]:80/x", "/x", "[::1]:80"],
  ["http://a.example//b/../c", "//b/../c", "a.example"],
  ["http://a.example/http://b.example/", "/http://b.example/", "a.example"],
])("%s becomes %s at host %s", (url, path, host) => {
  const req = request(url);
  expect([toOriginForm(req), req.url, req.headers.host]).toEqual([undefined, path, host]);
});

test.each(["/", "/x?y=http://a/", "//a.example/x", "*", "", "/http://a.example/"])("%s is unchanged", (url) => {
  const req = request(url);
  expect([toOriginForm(req), req.url, req.headers.host]).toEqual([undefined, url, "of-the-header"]);
});

test.each([
  "http:///x",
  "http://",
  "http:/x",
  "http:x",
  "ftp://a.example/",
  "ws://a.example/",
  "urn:x:y",
  "http://user@a.example/",
  "http://user:password@a.example/x",
  "http://a.example:65536/",
  "http://a.example:8o/",
  "http://a.example/x#y",
  "http://a.example\\@b.example/",
  "http://a%2eexample/",
  "http://[::1/x",
  "http://[::g]/",
  "http://1.2.3.999/",
])("%s is refused", (url) => {
  expect(toOriginForm(request(url))).toBe("ILL_TARGET");
});
