import { token, invalidInFieldValue, trimFieldValue } from "@gatehouse/http-fields";
import { MalformedReply } from "./client-error.ts";

/** Fields by lowercase name; a repeated one is a list. Without a prototype, since a peer chooses the names. */
export type ReplyFields = Readonly<Record<string, string | string[]>>;

export interface ReplyHead {
  readonly status: number;
  readonly fields: ReplyFields;
  /** End of the body: after this many bytes, with its last chunk, or with the connection (RFC 9112, section 6.3). */
  readonly body: number | "chunked" | "until-close";
  /** Whether the connection may carry another request. */
  readonly isPersistent: boolean;
  /** Time for which the server keeps the idle connection, ms, if it says so. */
  readonly keepAliveMs: number | undefined;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\u0020-\u007e\u0080-\u00ff]*)?$/;
/** More digits could not be counted exactly. */
const length = /^\d{1,15}$/;
const closeOption = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i;
const keepAliveOption = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i;
const keepAliveTime = /(?:^|[\t ,;])timeout=(\d{1,9})(?:$|[\t ,;])/i;

/**
 * Parses the head of a reply to a request with this method.
 * @param text Latin-1, without the empty line at its end
 * @throws MalformedReply for what two readers could understand differently: whitespace before a colon, folded lines, bare line
 * ends, a length beside chunks, several lengths, codings other than `chunked`
 */
export function parseReplyHead(text: string, method: string): ReplyHead {
  const lineEnd = endOfLine(text, 0);
  const [line, minor, digits] = statusLine.exec(text.slice(0, lineEnd)) ?? [];
  if (line === undefined) throw new MalformedReply("The reply begins with no valid status line.");
  const status = Number(digits);
  const fields = parseFields(text, lineEnd + 2);
  const { connection, "keep-alive": keepAlive } = fields;
  const framing = bodyOf(fields, minor === "1");
  const isBodiless = method === "HEAD" || status < 200 || status === 204 || status === 304;
  // A body that must not be there could be sent nevertheless, and would be read as the next reply.
  const endsSurely = isBodiless ? !announcesBody(fields, method) : framing !== "until-close";
  return {
    status,
    fields,
    body: isBodiless ? 0 : framing,
    isPersistent: endsSurely && staysOpen(minor === "1", connection),
    keepAliveMs: keepAlive === undefined ? undefined : keepAliveOf(String(keepAlive)),
  };
}

/**
 * Parses the fields after the last chunk, one per line.
 * @param text Latin-1; lines end with CRLF, the last one with the text
 * @throws MalformedReply also for a field that says where the body ends, which is over
 */
export function parseTrailers(text: string, from: number): ReplyFields {
  const fields = parseFields(text, from);
  if (fields["content-length"] !== undefined || fields["transfer-encoding"] !== undefined) {
    throw new MalformedReply("A trailer gives the length or the coding of the body.");
  }
  return fields;
}

/** Parses fields, one per line. */
function parseFields(text: string, from: number): ReplyFields {
  const fields: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (let at = from; at < text.length;) {
    const end = endOfLine(text, at);
    const colon = text.indexOf(":", at);
    if (colon === -1 || colon > end) throw new MalformedReply("A header line has no colon.");
    const name = text.slice(at, colon);
    if (!token.test(name)) throw new MalformedReply("A header has an invalid name.");
    const value = trimFieldValue(text, colon + 1, end);
    if (invalidInFieldValue.test(value)) throw new MalformedReply(`The header ${name} has an invalid value.`);
    add(fields, name.toLowerCase(), value);
    at = end + 2;
  }
  return fields;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\r\n", from);
  return end === -1 ? text.length : end;
}

function add(fields: Record<string, string | string[]>, name: string, value: string): void {
  const earlier = fields[name];
  if (earlier === undefined) fields[name] = value;
  else if (typeof earlier === "string") fields[name] = [earlier, value];
  else earlier.push(value);
}

function bodyOf(fields: ReplyFields, isHttp11: boolean): ReplyHead["body"] {
  const { "content-length": contentLength, "transfer-encoding": coding } = fields;
  if (coding !== undefined) {
    if (contentLength !== undefined) throw new MalformedReply("The reply has a length and a transfer coding.");
    if (!isHttp11) throw new MalformedReply("A reply in HTTP/1.0 has a transfer coding.");
    if (typeof coding !== "string" || coding.toLowerCase() !== "chunked") {
      throw new MalformedReply("The reply has a transfer coding other than chunked.");
    }
    return "chunked";
  }
  if (contentLength === undefined) return "until-close";
  if (typeof contentLength !== "string" || !length.test(contentLength)) {
    throw new MalformedReply("The reply has several lengths, or an invalid one.");
  }
  return Number(contentLength);
}

function announcesBody(fields: ReplyFields, method: string): boolean {
  const { "content-length": contentLength, "transfer-encoding": coding } = fields;
  return method === "HEAD" || coding !== undefined || (contentLength !== undefined && Number(contentLength) > 0);
}

function staysOpen(isHttp11: boolean, connection: string | string[] | undefined): boolean {
  if (connection === undefined) return isHttp11;
  const options = String(connection);
  return isHttp11 ? !closeOption.test(options) : keepAliveOption.test(options) && !closeOption.test(options);
}

function keepAliveOf(value: string): number | undefined {
  const seconds = keepAliveTime.exec(value)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
