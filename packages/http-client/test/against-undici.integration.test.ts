import fc from "fast-check";
import { Client } from "undici";
import { expect, test } from "vitest";
import { HttpClient } from "../src/index.ts";
import { type Outcome, PlayedConnection, playReply } from "./played-connection.ts";

const headBytesMax = 64 * 1_024;

async function byOurs(pieces: readonly Buffer[], isClosed: boolean): Promise<Outcome> {
  const connection = new PlayedConnection();
  const client = new HttpClient({
    connect: connection.connector,
    originsMax: 1,
    connectionsMax: 1,
    keepAliveMs: 10_000,
    keepAliveMsMax: 10_000,
    headBytesMax,
  });
  const outcome = await playReply(client, connection, pieces, isClosed);
  await client.destroy();
  return outcome;
}

async function byUndici(pieces: readonly Buffer[], isClosed: boolean): Promise<Outcome> {
  const connection = new PlayedConnection();
  const client = new Client("http://played.test", {
    connect: connection.connector,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 10_000,
    maxHeaderSize: headBytesMax,
  });
  const outcome = await playReply(client, connection, pieces, isClosed);
  await client.destroy();
  return outcome;
}

/** Mostly the first. */
function mostly(usual: string, ...others: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

const end = mostly("\r\n", "\n", "\r", "\r\r\n", "\n\r\n");
const statusLines = [
  "HTTP/1.1 200",
  "HTTP/1.0 200 OK",
  "HTTP/1.1 204 No Content",
  "HTTP/1.1 304 Not Modified",
  "HTTP/1.1 500 \u00e9",
  "HTTP/2 200 OK",
  "HTTP/1.1 20 OK",
  "http/1.1 200 OK",
  "ICY 200 OK",
  "HTTP/1.1  200 OK",
  "HTTP/1.1 200  OK",
];
const lengths = ["0", "1", "2", "3", "10", "+3", "-1", "3, 3", "0x3", " 3", "", "3 3"];
const codings = ["chunked", "Chunked", "gzip", "gzip, chunked", "chunked, gzip", "identity", "chunked,", ",chunked"];
const lengthsAndCodings = [...lengths, ...codings, "\u000bchunked", "chunked;q=1"];
const statusLine = fc.oneof(
  { weight: 6, arbitrary: fc.constant("HTTP/1.1 200 OK") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...statusLines),
  },
);
const separator = mostly(": ", ":", ":\t", " : ", "", ":  ");
const framing = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("Content-Length|3", "Content-Length|1", "Transfer-Encoding|chunked") },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("Content-Length", "content-length", "Transfer-Encoding", "Content-Length ", "Content_Length"),
        fc.constantFrom(...lengthsAndCodings),
      )
      .map((parts) => parts.join("|")),
  },
);
const other = fc
  .tuple(
    mostly("X-A", "Connection", "Connection", "Keep-Alive", "__proto__", " X-B", "X B", "", "Set-Cookie", "Upgrade"),
    mostly(
      "a",
      "close",
      "keep-alive",
      "close, x",
      "timeout=5",
      "timeout=1",
      "a\u00a0",
      "a\tb",
      "a\u0000b",
      "a\u007fb",
      "",
    ),
  )
  .map((parts) => parts.join("|"));
const lineOf = (field: fc.Arbitrary<string>) =>
  fc.tuple(field, separator, end).map(([text, colon, ending]) => text.replace("|", colon) + ending);
const lines = fc
  .tuple(
    fc.array(lineOf(other), { maxLength: 2 }),
    fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constantFrom(0, 2) }),
    lineOf(framing),
    lineOf(framing),
    fc.array(lineOf(other), { maxLength: 2 }),
  )
  .map(([before, count, first, second, after]) => [...before, ...[first, second].slice(0, count), ...after]);
const size = mostly(
  "3",
  "1",
  "A",
  "0",
  "00",
  "03",
  "3 ",
  " 3",
  "+3",
  "3;a=b",
  "3;a\u0000",
  "",
  "fffffffffffffffff",
  '3;a;b="c"',
  '3;a="b\\"c"',
  '3;a="b',
  '3;a="b"c',
  "3; a=b",
  "3;a =b",
  "3;a=",
  "3;",
  "3;;a",
  "3;a=\u00e9",
);
const chunk = fc.tuple(size, end, mostly("abc", "a", "ab", "0123456789", ""), end).map((parts) => parts.join(""));
const lastChunk = mostly(
  "0\r\n\r\n",
  "0\r\nX-Sum: 1\r\n\r\n",
  "0\r\n",
  "0\n\n",
  "00\r\n\r\n",
  "0;a\r\n\r\n",
  "0\r\nX Y: 1\r\n\r\n",
  "0\r\nContent-Length: 3\r\n\r\n",
  "0\r\nTransfer-Encoding: chunked\r\n\r\n",
  "0;\r\n\r\n",
);
const body = fc.oneof(
  fc.constantFrom("abc", "abc", "a", "", "abcdef"),
  fc.tuple(fc.array(chunk, { maxLength: 3 }), lastChunk).map(([chunks, last]) => chunks.join("") + last),
);
const interim = mostly("", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", "\r\n", "HTTP/1.1 102\r\n\r\n");
const after = mostly("", "x", "\r\n", "HTTP/1.1 200 OK\r\n\r\n");
/** With one header at least: undici reports a head without any only with the byte after it. */
const built = fc
  .tuple(interim, statusLine, end, lines, end, body, after)
  .map(([before, status, statusEnd, fields, blank, content, extra]) =>
    [before, status, statusEnd, "Server: a\r\n", ...fields, blank, content, extra].join(""),
  );
/** A built reply in which some bytes were replaced. */
const reply = fc
  .tuple(built, fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 2 }), mostly("", "changed"))
  .map(([text, changes, isChanged]) => {
    const bytes = Buffer.from(text, "latin1");
    for (const [at, byte] of isChanged === "" ? [] : changes) if (at < bytes.length) bytes[at] = byte;
    return bytes;
  });

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return places.slice(1).map((to, index) => bytes.subarray(places[index] ?? 0, to));
}

/** Reasons to refuse what undici accepts: forms that servers on the way may understand differently. */
const stricter: ReadonlySet<string> = new Set([
  "The reply begins with no valid status line.",
  "The reply has a transfer coding other than chunked.",
  // undici ignores an empty coding.
  "The reply has a length and a transfer coding.",
  "A reply in HTTP/1.0 has a transfer coding.",
  "A chunk has an invalid extension.",
  "A trailer gives the length or the coding of the body.",
]);

test(
  "a reply that the client accepts is the same one for undici, however it is split",
  { timeout: 600_000 },
  async () => {
    const counts = { complete: 0, failed: 0, open: 0 };
    await fc.assert(
      fc.asyncProperty(
        reply,
        fc.array(fc.nat(500), { maxLength: 4 }),
        fc.boolean(),
        async (bytes, places, isClosed) => {
          const pieces = cut(bytes, places).filter(({ length }) => length > 0);
          const ours = await byOurs(pieces, isClosed);
          const theirs = await byUndici(pieces, isClosed);
          counts[ours.end] += 1;
          expect(isSafe(ours, theirs)).toBe(true);
          if (ours.end === "complete") expect(seen(ours)).toEqual(seen(theirs));
        },
      ),
      { numRuns: Number(process.env["HTTP_CLIENT_RUNS"] ?? 3_000), seed: Number(process.env["HTTP_CLIENT_SEED"] ?? 7) },
    );
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(100);
  },
);

/** The client accepts nothing and keeps no connection that undici does not, and refuses more only for the known reasons. */
function isSafe(ours: Outcome, theirs: Outcome): boolean {
  if (ours.end === "failed") return theirs.end !== "complete" || stricter.has((ours.cause as Error).message);
  // The client parses a head when it is whole, undici as it arrives.
  if (ours.end === "open") return theirs.end !== "complete";
  return theirs.end === "complete" && (theirs.isKept || !ours.isKept);
}

function seen({ status, headers, body: text }: Outcome): unknown {
  return [status, { ...(headers as object) }, text];
}
