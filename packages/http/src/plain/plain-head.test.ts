import { describe, expect, test } from "vitest";
import { parsePlainHead } from "./plain-head.ts";

const lines = (...extra: readonly string[]) =>
  ["POST /a/b?c=%20 HTTP/1.1", "Host: a", "content-length: 2", ...extra].map((line) => `${line}\r\n`).join("");

describe("a plain head", () => {
  test("has the target, the length and the headers, as sent and by lower-case name", () => {
    expect(parsePlainHead(lines("X-A: \t b c\u00e9\t ", "Empty:", "Connection: Keep-Alive"))).toEqual({
      url: "/a/b?c=%20",
      rawHeaders: ["Host", "a", "content-length", "2", "X-A", "b c\u00e9", "Empty", "", "Connection", "Keep-Alive"],
      headers: { host: "a", "content-length": "2", "x-a": "b c\u00e9", empty: "", connection: "Keep-Alive" },
      bodyBytes: 2,
    });
  });

  test.each<[string, string]>([
    ["another transfer coding", lines("transfer-encoding: chunked")],
    ["an expectation", lines("expect: 100-continue")],
    ["another protocol", lines("upgrade: websocket")],
    ["a closing connection", lines("connection: close")],
    ["connection options", lines("connection: keep-alive, x-a")],
    ["a header of proxies that Node heeds", lines("proxy-connection: close")],
    ["trailers", lines("trailer: x")],
    ["a header that Node lists", lines("set-cookie: a=b")],
    ["a second length", lines("Content-Length: 2")],
    ["a second host", lines("host: b")],
    ["any repeated header", lines("x: 1", "X: 2")],
    ["a name that every object has", lines("constructor: 1")],
    ["the name of a prototype", lines("__proto__: 1")],
    ["a name with a space", lines("x : 1")],
    ["an empty name", lines(": 1")],
    ["a folded line", lines("x: 1", " y")],
    ["a line without a colon", lines("x")],
    ["a bare line feed", lines("x: 1\ny: 2")],
    ["a bare carriage return", lines("x: 1\ry: 2")],
    ["a control character", lines("x: \u0000")],
    ["too many headers", lines(...Array.from({ length: 64 }, (_, at) => `x${at}: 1`))],
    ["no host", "POST / HTTP/1.1\r\ncontent-length: 1\r\n"],
    ["no length", "POST / HTTP/1.1\r\nhost: a\r\n"],
    ["another method", lines().replace("POST", "PUT")],
    ["an earlier version", lines().replace("1.1", "1.0")],
    ["an absolute target", lines().replace("/a/b", "http://a/b")],
    ["a fragment", lines().replace("/a/b", "/a#b")],
    ["two spaces", lines().replace("POST ", "POST  ")],
    ["an empty line before it", `\r\n${lines()}`],
    ...["0", "02", "+2", "-1", "2, 2", "0x2", "", "2 2", "1234567"].map((length): [string, string] => [
      `the length '${length}'`,
      lines().replace("length: 2", `length: ${length}`),
    ]),
  ])("with %s is left to Node", (_, text) => {
    expect(parsePlainHead(text)).toBeUndefined();
  });
});
