import { describe, expect, test } from "vitest";
import { MalformedReply } from "./client-error.ts";
import type { ReplyFields, ReplyHead } from "./reply-head.ts";
import { ReplyReader } from "./reply-reader.ts";

const headBytesMax = 1_024;

interface Seen {
  head: ReplyHead | undefined;
  body: string;
  pieces: number;
  trailers: ReplyFields | undefined;
}

/** Reads a reply in pieces of this size. `isClosed` is what the reader says of a connection that ends then. */
function read(reply: string, pieceBytes = reply.length, method = "POST"): Seen & { readonly isClosed: boolean } {
  const seen: Seen = { head: undefined, body: "", pieces: 0, trailers: undefined };
  const reader = new ReplyReader(
    {
      onHead: (head) => (seen.head = head),
      onBytes(bytes) {
        seen.body += bytes.toString("latin1");
        seen.pieces += 1;
      },
      onEnd: (trailers) => (seen.trailers = trailers),
    },
    headBytesMax,
  );
  reader.begin(method);
  const bytes = Buffer.from(reply, "latin1");
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    reader.read(Buffer.from(bytes.subarray(from, from + pieceBytes)));
  }
  return { ...seen, isClosed: reader.close() };
}

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

describe.each([
  ["whole", 100_000],
  ["byte by byte", 1],
  ["in pieces of 7 bytes", 7],
])("a reply that arrives %s", (_name, pieceBytes) => {
  test.each<[string, string, string]>([
    ["with a length", `${ok}Content-Length: 3\r\n\r\nabc`, "abc"],
    ["with a length of zero", `${ok}content-length:0\r\n\r\n`, ""],
    ["in chunks", `${chunked}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`, "abc"],
    ["in chunks with extensions", `${chunked}2;a=b;c="d;\\"\te";f\r\nab\r\n0;last\r\n\r\n`, "ab"],
    ["in chunks with upper-case sizes", `${chunked}A\r\n0123456789\r\n00\r\n\r\n`, "0123456789"],
    ["in chunks with trailers", `${chunked}2\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n`, "ab"],
    [
      "after interim heads",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\n${ok}Content-Length: 1\r\n\r\na`,
      "a",
    ],
    ["without content", "HTTP/1.1 204 No Content\r\n\r\n", ""],
    ["that was not modified", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", ""],
    ["without a reason", "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na", "a"],
  ])("%s is read to its end", (_kind, reply, body) => {
    const seen = read(reply, pieceBytes);
    expect([seen.body, seen.trailers === undefined, seen.isClosed]).toEqual([body, false, false]);
  });

  test("without a length is over when the connection ends", () => {
    const seen = read(`${ok}\r\nabc`, pieceBytes);
    expect([seen.body, seen.isClosed, seen.head?.isPersistent]).toEqual(["abc", true, false]);
  });

  test.each([`${ok}Content-Length: 3\r\n\r\nab`, `${chunked}2\r\nab\r\n`, `${chunked}2\r\nab\r\n0\r\n`, ok])(
    "is incomplete where the connection ends within it (%j)",
    (reply) => {
      const seen = read(reply, pieceBytes);
      expect([seen.trailers, seen.isClosed]).toEqual([undefined, false]);
    },
  );

  test.each<[string, string]>([
    ["another protocol", "SSH-2.0-OpenSSH\r\n"],
    ["a TLS alert", "\u0015\u0003\u0001\u0000\u0002\u0002"],
    ["HTTP/2", "HTTP/2 200\r\n\r\n"],
    ["an empty line first", `\r\n${ok}\r\n`],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
    ["a status below 100", "HTTP/1.1 099 OK\r\n\r\n"],
    ["two spaces before the status", "HTTP/1.1  200 OK\r\n\r\n"],
    ["lines that end with LF", "HTTP/1.1 200 OK\nContent-Length: 1\n\na"],
    ["one line that ends with LF", `${ok}X: 1\nContent-Length: 1\r\n\r\na`],
    ["a lone CR in a value", `${ok}X: 1\rY: 2\r\n\r\n`],
    ["a NUL in a value", `${ok}X: 1\u0000\r\n\r\n`],
    ["a folded line", `${ok}X: 1\r\n 2\r\n\r\n`],
    ["a space before the colon", `${ok}Content-Length : 1\r\n\r\na`],
    ["a header without a colon", `${ok}Content-Length\r\n\r\na`],
    ["a header without a name", `${ok}: 1\r\n\r\na`],
    ["a name with a space", `${ok}X Y: 1\r\n\r\na`],
    ["two equal lengths", `${ok}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`],
    ["two lengths in one header", `${ok}Content-Length: 1, 1\r\n\r\na`],
    ["a negative length", `${ok}Content-Length: -1\r\n\r\n`],
    ["a length with a sign", `${ok}Content-Length: +1\r\n\r\na`],
    ["a hexadecimal length", `${ok}Content-Length: 0x1\r\n\r\na`],
    ["an empty length", `${ok}Content-Length:\r\n\r\na`],
    ["a length that is too large to count", `${ok}Content-Length: 99999999999999999999\r\n\r\n`],
    ["a length beside chunks", `${ok}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`],
    ["a coding before the chunks", `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ["a coding after the chunks", `${ok}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
    ["chunks named twice", `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["an unknown coding", `${ok}Transfer-Encoding: identity\r\n\r\n`],
    ["chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\n\r\n"],
    ["a chunk without a size", `${chunked}\r\nab\r\n`],
    ["a chunk with a space after its size", `${chunked}2 \r\nab\r\n`],
    ["a chunk with a sign", `${chunked}+2\r\nab\r\n`],
    ["a chunk in 0x notation", `${chunked}0x2\r\nab\r\n`],
    ["a chunk's size that ends with LF", `${chunked}2\nab\r\n`],
    ["a chunk that is too long", `${chunked}2\r\nabc\r\n`],
    ["a chunk that ends with LF", `${chunked}2\r\nab\n0\r\n\r\n`],
    ["a size with too many digits", `${chunked}${"0".repeat(12)}2\r\nab\r\n`],
    ["a line end in an extension", `${chunked}2;a\nb\r\nab\r\n`],
    ["an extension with a quotation that does not end", `${chunked}2;a="b\r\nab\r\n0\r\n\r\n`],
    ["an extension with spaces", `${chunked}2; a = b\r\nab\r\n0\r\n\r\n`],
    ["an extension without a name", `${chunked}2;\r\nab\r\n0\r\n\r\n`],
    ["an extension without a value", `${chunked}2;a=\r\nab\r\n0\r\n\r\n`],
    ["extensions without a name", `${chunked}2;;;\r\nab\r\n0\r\n\r\n`],
    ["a length after its end", `${chunked}0\r\nContent-Length: 5\r\n\r\n`],
    ["a coding after its end", `${chunked}0\r\ntransfer-encoding: chunked\r\n\r\n`],
    ["extensions without an end", `${chunked}2;${"a".repeat(4_097)}`],
    ["an invalid trailer", `${chunked}0\r\nX Y: 1\r\n\r\n`],
    ["a trailer that ends with LF", `${chunked}0\r\nX: 1\n\r\n`],
    ["bytes after the last chunk", `${chunked}0\r\nab\r\n\r\n`.replace("ab\r\n", "ab\n")],
    ["bytes after its end", `${ok}Content-Length: 1\r\n\r\nab`],
    ["a second reply", `${ok}Content-Length: 0\r\n\r\n${ok}Content-Length: 0\r\n\r\n`],
    ["a head that is too large", `${ok}X: ${"a".repeat(headBytesMax)}\r\n\r\n`],
    ["interim heads that are too large together", `HTTP/1.1 103 Early\r\nX: ${"a".repeat(400)}\r\n\r\n`.repeat(3)],
    ["trailers that are too large", `${chunked}0\r\nX: ${"a".repeat(headBytesMax)}\r\n\r\n`],
  ])("with %s is refused", (_fault, reply) => {
    expect(() => read(reply, pieceBytes)).toThrow(MalformedReply);
  });
});

test("small chunks of one read are one piece for their reader", () => {
  const chunks = Array.from({ length: 50 }, (_, at) => `4\r\n${String(at).padStart(4, "0")}\r\n`).join("");
  const seen = read(`${chunked}${chunks}0\r\n\r\n`);
  expect([seen.pieces, seen.body.length, seen.body.slice(-8)]).toEqual([1, 200, "00480049"]);
});

test("names are in lower case, repeated fields are lists, and only blanks around values are cut off", () => {
  const { head } = read(
    `${ok}X-A: 1\r\nx-a:  2 \t\r\nX-A:3\r\n__proto__: x\r\nX-B: \u00a0\r\nContent-Length: 0\r\n\r\n`,
  );
  expect({ ...head?.fields }).toEqual({
    "x-a": ["1", "2", "3"],
    ["__proto__"]: "x",
    "x-b": "\u00a0",
    "content-length": "0",
  });
  expect(Object.hasOwn(head?.fields ?? {}, "__proto__")).toBe(true);
});

test.each<[string, string, boolean]>([
  ["HTTP/1.1", "", true],
  ["HTTP/1.1", "Connection: close\r\n", false],
  ["HTTP/1.1", "Connection: x,  CLOSE\r\n", false],
  ["HTTP/1.1", "Connection: x\r\nConnection: close\r\n", false],
  ["HTTP/1.1", "Connection: closed\r\n", true],
  ["HTTP/1.0", "", false],
  ["HTTP/1.0", "Connection: Keep-Alive\r\n", true],
  ["HTTP/1.0", "Connection: keep-alive, close\r\n", false],
])("%s with %j: the connection is kept: %s", (version, fields, isKept) => {
  expect(read(`${version} 200 OK\r\nContent-Length: 0\r\n${fields}\r\n`).head?.isPersistent).toBe(isKept);
});

test.each([
  "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
  "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
])("a connection is not kept after a reply that must not have the body that it announces (%j)", (reply) => {
  const { head, body } = read(reply);
  expect([head?.isPersistent, head?.body, body]).toEqual([false, 0, ""]);
});

test("a reply to HEAD has no body, whatever it announces", () => {
  const { head, trailers } = read(`${ok}Content-Length: 5\r\n\r\n`, 100, "HEAD");
  expect([head?.body, head?.isPersistent, trailers === undefined]).toEqual([0, false, false]);
});

test.each<[string, number | undefined]>([
  ["timeout=5", 5_000],
  ["timeout=5, max=100", 5_000],
  ["max=100;timeout=7", 7_000],
  ["max=1", undefined],
  ["xtimeout=5", undefined],
])("Keep-Alive: %s is %s ms", (value, ms) => {
  expect(read(`${ok}Content-Length: 0\r\nKeep-Alive: ${value}\r\n\r\n`).head?.keepAliveMs).toBe(ms);
});

test.each([0, 1, 2, 3, 4, 5])(
  "a head %s bytes below the bound leaves the same room for the end of chunks, however split",
  (left) => {
    const head = `${ok}Transfer-Encoding: chunked\r\nX: `;
    const whole = `${head}${"a".repeat(headBytesMax - left - head.length - 4)}\r\n\r\n1\r\na\r\n0\r\n\r\n`;
    const outcomes = [whole.length, 1, 2, 3].map((pieceBytes) => {
      try {
        return read(whole, pieceBytes).body;
      } catch (err) {
        return (err as Error).name;
      }
    });
    expect(new Set(outcomes).size).toBe(1);
  },
);

test("a reader that was stopped ignores what follows", () => {
  const reader: ReplyReader = new ReplyReader(
    { onHead: () => reader.stop(), onBytes: () => expect.unreachable(), onEnd: () => expect.unreachable() },
    headBytesMax,
  );
  reader.begin("POST");
  reader.read(Buffer.from(`${ok}Content-Length: 1\r\n\r\na`));
  reader.read(Buffer.from("anything"));
  expect(reader.close()).toBe(false);
});
