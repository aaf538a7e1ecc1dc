import assert from "node:assert/strict";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { isGatewayError } from "@gatehouse/errors";
import { decodeBody, decodedBytesMax, endToEndHeaders, parseJsonBody } from "../src/index.ts";
import { parsePlainHead } from "../src/plain/plain-head.ts";

/** Names and values in turn, one a line, as Node would have parsed them. */
function headersOf(bytes: Buffer): Record<string, string> {
  const lines = bytes.toString("latin1").split("\n");
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) pairs.push([(lines[at] ?? "").toLowerCase(), lines[at + 1] ?? ""]);
  return Object.fromEntries(pairs);
}

/** Connection headers (RFC 9110, section 7.6.1), and those that `Connection` names, are not forwarded. */
function forwardHeaders(bytes: Buffer): void {
  const headers = headersOf(bytes);
  const passed = endToEndHeaders(headers, new Set(["authorization"]));
  const named = (headers["connection"] ?? "").split(",").map((name) => name.trim().toLowerCase());
  for (const name of ["connection", "keep-alive", "te", "transfer-encoding", "upgrade", "authorization", ...named]) {
    // A line without a name is no header: Node never has one.
    assert.ok(name === "" || !Object.hasOwn(passed, name), `${name} was forwarded`);
  }
}

const codings = ["gzip", "deflate", "br", "x-gzip", "identity", "zstd"] as const;
const bodyBytesMax = 256 * 1024;

/** The first byte names the coding. A decoded body stays within its bound for any input. */
async function decode(bytes: Buffer): Promise<void> {
  const coded = bytes.subarray(1);
  const body = await decodeBody(coded, codings[(bytes[0] ?? 0) % codings.length], bodyBytesMax);
  assert.ok(body.length <= Math.max(coded.length, decodedBytesMax(coded.length, bodyBytesMax)));
}

/** A head that is taken is the one that was sent, but for the blanks around values: nothing of it is lost or read twice. */
function recognizeHead(bytes: Buffer): void {
  const text = bytes.toString("latin1");
  const head = parsePlainHead(text);
  if (head === undefined) return;
  const { url, rawHeaders, headers, bodyBytes } = head;
  const lines = Array.from(
    { length: rawHeaders.length / 2 },
    (_, at) => `${rawHeaders[2 * at]}:${rawHeaders[2 * at + 1]}`,
  );
  const trimmed = text.replaceAll(/[\t ]*\r\n/g, "\r\n").replaceAll(/(\r\n[^:\r\n]+):[\t ]*/g, "$1:");
  assert.equal([`POST ${url} HTTP/1.1`, ...lines, ""].join("\r\n"), trimmed);
  assert.equal(Object.keys(headers).length, lines.length, "a header was repeated");
  assert.equal(String(bodyBytes), headers["content-length"]);
}

const codedSeeds = [gzipSync, deflateSync, brotliCompressSync].flatMap((compress, coding) =>
  ['{"message":"Hello"}', "a".repeat(4_096)].map((text) => Buffer.concat([Buffer.of(coding), compress(text)])),
);

export const fuzzTargets = [
  {
    name: "http-coded-body",
    seeds: [...codedSeeds, Buffer.concat([Buffer.of(1), deflateRawSync("Hello")])],
    run: decode,
    isDeclared: isGatewayError,
  },
  {
    name: "http-json-body",
    seeds: ['{"message":"Hello"}', '\uFEFF{"a":1}'],
    run: (bytes: Buffer) => parseJsonBody(bytes),
    isDeclared: isGatewayError,
  },
  {
    name: "http-plain-head",
    seeds: ["POST /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nX: \t1\r\nConnection: keep-alive\r\n"],
    words: [
      "Transfer-Encoding: chunked\r\n",
      "Content-Length: ",
      "Expect: ",
      "\r\n ",
      "\r\n\r\n",
      " HTTP/1.1\r\n",
      "host: ",
    ],
    run: recognizeHead,
    isDeclared: () => false,
  },
  {
    name: "http-header-forwarding",
    seeds: ["Host\nexample.com\nConnection\nclose, X-Own\nX-Own\n1\nAuthorization\nBearer a\nAccept\n*/*\n"],
    words: ["Connection\n", "Transfer-Encoding\n", "Upgrade\n", "__proto__\n", "keep-alive", ", "],
    run: forwardHeaders,
    isDeclared: () => false,
  },
];
