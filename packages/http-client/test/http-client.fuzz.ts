import assert from "node:assert/strict";
import { MalformedReply } from "../src/client-error.ts";
import { ReplyReader } from "../src/reply-reader.ts";

const headBytesMax = 4_096;

interface Read {
  readonly parts: string;
  readonly failure: string | undefined;
}

/** Reads a reply in pieces of this size. A reader gives no byte twice, and none that it was not given. */
function read(bytes: Buffer, pieceBytes: number, method: string): Read {
  const parts: string[] = [];
  let bodyBytes = 0;
  let isOver = false;
  const reader = new ReplyReader(
    {
      onHead: ({ status, fields }) => void parts.push(`${status} ${JSON.stringify(fields)} `),
      onBytes(piece) {
        assert.ok(!isOver, "bytes after the end");
        bodyBytes += piece.length;
        parts.push(piece.toString("latin1"));
      },
      onEnd() {
        assert.ok(!isOver, "two ends");
        isOver = true;
        parts.push(" end");
      },
    },
    headBytesMax,
  );
  reader.begin(method);
  let failure: string | undefined;
  try {
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      reader.read(Buffer.from(bytes.subarray(from, from + pieceBytes)));
    }
    reader.close();
  } catch (err) {
    if (!(err instanceof MalformedReply)) throw err;
    failure = "malformed";
  }
  assert.ok(bodyBytes <= bytes.length, "more bytes than were read");
  return { parts: parts.join(""), failure };
}

/** The first byte chooses the method and the size of the pieces. However a reply is split, it is the same reply. */
function readReply(bytes: Buffer): void {
  const choice = bytes[0] ?? 0;
  const method = choice & 0x80 ? "HEAD" : "POST";
  const whole = read(bytes.subarray(1), bytes.length + 1, method);
  const split = read(bytes.subarray(1), 1 + (choice & 0x1f), method);
  // A fault ends a reply; only the pieces before it may differ.
  assert.equal(split.failure, whole.failure);
  if (whole.failure === undefined) assert.equal(split.parts, whole.parts);
}

const ok = "\u0003HTTP/1.1 200 OK\r\n";

export const fuzzTargets = [
  {
    name: "http-client-reply",
    seeds: [
      `${ok}Content-Length: 3\r\n\r\nabc`,
      `${ok}Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n2;a=b\r\nab\r\n1\r\nc\r\n0\r\nX-Sum: 1\r\n\r\n`,
      `\u0001HTTP/1.1 103 Early\r\nLink: a\r\n\r\n${ok.slice(1)}Content-Length: 0\r\n\r\n`,
      `${ok}Server: a\r\n\r\nuntil the end`,
    ],
    words: [
      "\r\n\r\n",
      "0\r\n\r\n",
      "Content-Length: ",
      "Transfer-Encoding: chunked\r\n",
      "HTTP/1.0 ",
      "__proto__: ",
      " \r\n",
    ],
    run: readReply,
    isDeclared: () => false,
  },
];
