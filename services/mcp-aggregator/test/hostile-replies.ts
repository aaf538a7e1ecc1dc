import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import type { UpstreamHandler } from "./fake-upstream.ts";

/** A hostile upstream's reply: its JSON, and its encoding. `{id}` stands for the request's id. */
export interface HostileReply {
  readonly json: Shape;
  readonly transport: "json" | "events";
  readonly encoding: Encoding;
  readonly damage: Damage;
}

export const encodings = ["identity", "gzip", "br", "deflate", "twice", "unknown"] as const;
export type Encoding = (typeof encodings)[number];

export const damages = ["none", "truncated", "garbage behind", "garbage inside", "invalid UTF-8"] as const;
export type Damage = (typeof damages)[number];

const deep = (levels: number) => `${"[".repeat(levels)}12345678901234567890${"]".repeat(levels)}`;
const result = (members: string) => `{"jsonrpc":"2.0","id":{id},"result":{${members}}}`;
const tool = (schema: string) => `{"name":"t","description":"d","inputSchema":${schema}}`;

/** JSON shapes that have broken parsers, of about a megabyte where size matters. */
export const shapes = {
  "deep around a large number": deep(200_000),
  "deep in the result": result(`"content":${deep(200_000)}`),
  "deep in a schema": result(`"tools":[${tool(`{"type":"object","properties":{"a":${deep(50_000)}}}`)}]`),
  "deep and never closed": "[".repeat(500_000),
  "wide in values": result(`"content":[${"0,".repeat(500_000)}0]`),
  "wide in keys": result(Array.from({ length: 50_000 }, (_, key) => `"k${key}":1`).join(",")),
  "very many tools": result(`"tools":[${"{},".repeat(300_000)}{}]`),
  "a tool of many values": result(`"tools":[${tool(`{"type":"object","enum":[${"1e5,".repeat(60_000)}1]}`)}]`),
  "huge numbers": result(`"content":[${`${"9".repeat(1_000)}e${"9".repeat(100)},`.repeat(500)}1]`),
  "one huge number": result(`"content":[${"9".repeat(1_000_000)}]`),
  "a huge string": result(`"content":[{"type":"text","text":"${"x".repeat(1_000_000)}"}]`),
  "a huge key": result(`"${"k".repeat(1_000_000)}":1`),
  "a huge id": `{"jsonrpc":"2.0","id":"${"1".repeat(1_000_000)}","result":{}}`,
  "a huge method": `{"jsonrpc":"2.0","id":1,"method":"${"m".repeat(1_000_000)}"}`,
  "a huge error": `{"jsonrpc":"2.0","id":{id},"error":{"code":-32000,"message":"${"e".repeat(500_000)}"}}`,
  "lone surrogates": result('"content":[{"type":"text","text":"\\ud800\\udfff\\udc00"}],"tools":[{"name":"\\ud800"}]'),
  "equal keys": result('"isError":true,"isError":null,"content":[],"content":null,"tools":[],"tools":0'),
  "keys of objects themselves": result(
    '"__proto__":{"isError":true},"constructor":1,"toString":null,"tools":[{"__proto__":1}]',
  ),
  "a batch of pings": `[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(20_000)}1]`,
  "no result": '{"jsonrpc":"2.0","id":{id}}',
  "a result that is not an object": '{"jsonrpc":"2.0","id":{id},"result":[[]]}',
  "an error that is none": '{"jsonrpc":"2.0","id":{id},"error":{"code":"x","message":{}}}',
  nothing: "",
  "white space": " \n".repeat(500_000),
  "no JSON": "}{:,]",
} as const;
export type Shape = keyof typeof shapes;

export const hostileReplies = fc.record<HostileReply>({
  json: fc.constantFrom(...(Object.keys(shapes) as Shape[])),
  transport: fc.constantFrom("json", "events"),
  encoding: fc.constantFrom(...encodings),
  damage: fc.constantFrom(...damages),
});

/** An upstream that answers every request with this reply. */
export function hostileHandler(reply: HostileReply): UpstreamHandler {
  return ({ body }, res) => {
    const id = JSON.stringify(body.id ?? null);
    const text = shapes[reply.json].replace("{id}", () => id);
    const framed = reply.transport === "json" ? text : `event: message\ndata: ${text}\n\n`;
    const type = reply.transport === "json" ? "application/json" : "text/event-stream";
    const encoding = headerOf(reply.encoding);
    res.writeHead(200, { "content-type": type, ...(encoding === undefined ? {} : { "content-encoding": encoding }) });
    res.end(damage(encode(damageText(Buffer.from(framed), reply.damage), reply.encoding), reply.damage));
  };
}

function headerOf(encoding: Encoding): string | undefined {
  if (encoding === "identity") return undefined;
  if (encoding === "twice") return "gzip, gzip";
  return encoding === "unknown" ? "zstd-9" : encoding;
}

function encode(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === "gzip") return gzipSync(bytes);
  if (encoding === "deflate") return deflateSync(bytes);
  if (encoding === "twice") return gzipSync(gzipSync(bytes));
  if (encoding !== "br") return bytes;
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
}

function damageText(bytes: Buffer, how: Damage): Buffer {
  if (how !== "invalid UTF-8") return bytes;
  const half = Math.floor(bytes.length / 2);
  return Buffer.concat([bytes.subarray(0, half), Buffer.of(0xff, 0xc0, 0xed, 0xa0, 0x80), bytes.subarray(half)]);
}

function damage(bytes: Buffer, how: Damage): Buffer {
  const half = Math.floor(bytes.length / 2);
  if (how === "truncated") return bytes.subarray(0, half);
  if (how === "garbage behind")
    return Buffer.concat([bytes, Buffer.from("\u001f\u008b garbage"), bytes.subarray(0, 64)]);
  if (how === "garbage inside")
    return Buffer.concat([bytes.subarray(0, half), Buffer.alloc(64, 0xfe), bytes.subarray(half)]);
  return bytes;
}
