import { describe, expect, it } from "vitest";
import { createOriginCheck, parseOrigin } from "./origin-check.ts";

const site = "https://chat.example.com";
const localCheck = createOriginCheck("127.0.0.1", [site]);
const openCheck = createOriginCheck("0.0.0.0", [site]);

describe("on loopback", () => {
  it.each([
    [{ host: "127.0.0.1:8080" }],
    [{ host: "localhost:8080" }],
    [{ host: "LOCALHOST" }],
    [{ host: "[::1]:8080" }],
    [{ host: "gate.localhost:8080" }],
    [{ host: "localhost:8080", origin: "http://localhost:8080" }],
    [{ host: "localhost", origin: "http://localhost:80" }],
    [{ host: "localhost:8080", origin: site }],
    [{ host: "chat.example.com" }],
    [{ host: "chat.example.com", origin: site }],
    [{}],
  ])("%j passes", (headers) => {
    expect(localCheck(headers)).toBeUndefined();
  });

  it.each([
    [{ host: "evil.example" }, "Host 'evil.example' is not allowed."],
    [{ host: "evil.example:8080", origin: "http://evil.example:8080" }, "Host 'evil.example:8080' is not allowed."],
    [{ host: "127.0.0.1.evil.example" }, "Host '127.0.0.1.evil.example' is not allowed."],
    [{ host: "localhost.evil.example" }, "Host 'localhost.evil.example' is not allowed."],
    [{ host: "localhost:8080", origin: "http://evil.example" }, "Origin 'http://evil.example' is not allowed."],
    [{ host: "localhost:8080", origin: "http://localhost:5173" }, "Origin 'http://localhost:5173' is not allowed."],
    [{ host: "localhost:8080", origin: "null" }, "Origin 'null' is not allowed."],
  ])("%j is refused", (headers, message) => {
    expect(localCheck(headers)).toMatchObject({ code: "origin_not_allowed", message });
  });
});

describe("on an open address", () => {
  it.each([
    [{ host: "gate.example.com" }],
    [{ host: "gate.example.com", origin: "https://gate.example.com" }],
    [{ host: "gate.example.com:443", origin: "https://gate.example.com" }],
    [{ host: "gate.example.com:8080", origin: "http://GATE.example.com:8080" }],
    [{ host: "gate.example.com", origin: "https://CHAT.example.com" }],
  ])("%j passes", (headers) => {
    expect(openCheck(headers)).toBeUndefined();
  });

  it.each([
    [{ host: "gate.example.com", origin: "https://evil.example" }],
    [{ host: "gate.example.com", origin: "https://gate.example.com.evil.example" }],
    [{ host: "gate.example.com", origin: "https://gate.example.com:8443" }],
    [{ host: "gate.example.com", origin: "" }],
    [{ host: "gate.example.com", origin: "https://gate.example.com@evil.example" }],
    [{ origin: "https://evil.example" }],
  ])("%j is refused", (headers) => {
    expect(openCheck(headers)).toMatchObject({ code: "origin_not_allowed" });
  });
});

it.each([
  ["https://a.example", "https://a.example"],
  ["HTTPS://A.example:443", "https://a.example"],
  ["http://a.example:8080/", "http://a.example:8080"],
  ["https://a.example/path", undefined],
  ["a.example", undefined],
  ["ftp://a.example", undefined],
  ["https://", undefined],
  ["*", undefined],
])("reads the origin %j as %j", (text, origin) => {
  expect(parseOrigin(text)).toBe(origin);
});
