import { isUtf8 } from "node:buffer";
import type { Segment, Side } from "@gatehouse/guardrail-client";
import { JsonRefusal, parseJsonInSteps, readTextTokensInSteps, replaceTextTokensInSteps } from "@gatehouse/json";
import { isNamedPiece } from "./is-named-piece.ts";

/** Texts of one body that are judged. */
const bodyTextsMax = 50_000;
/** Separators of a form's names and values; empty values have separators and no text. */
const bodyMarksMax = 4 * bodyTextsMax;

const ampersand = 0x26;
const equals = 0x3d;
const lineFeed = 0x0a;
const recordSeparator = 0x1e;
const space = 0x20;
/** Bytes, and parts of a form, that are read in one step: a fraction of a millisecond. */
const stepBytes = 16 * 1_024;
const stepPieces = 512;

/** A body in the form that guardrails judge. */
export interface ReadableBody {
  readonly segments: readonly Segment[];
  /** Replaces the texts of `segments` in the body; returns the judged bytes where none differs. */
  readonly replace: (texts: readonly string[]) => Generator<void, Buffer>;
  /** JSON texts of the values that the segments belong to; absent where each text is judged alone. */
  readonly values?: () => readonly string[];
}

/** A body that cannot be judged. The message continues a sentence that starts with "the body". */
export class UnreadableBody extends Error {}

interface TypedBody {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  /** A reply may have duplicate keys: all of them are judged and forwarded. */
  readonly side: Side;
}

/** Whether a body's type is text. No type counts as text, and so do several types if one of them is, since readers choose any. */
export function isReadableType(contentType: string | undefined): boolean {
  return isTextType(parseContentType(contentType).type) || listedTypes(contentType).length > 1;
}

/** Whether a body is an event stream, which may never end; of several types any counts. */
export function isEventStreamType(contentType: string | undefined): boolean {
  return listedTypes(contentType).includes("text/event-stream");
}

/** Types of all `Content-Type` headers, which are joined by commas; a quoted comma belongs to a parameter. */
function listedTypes(contentType: string | undefined): readonly string[] {
  const listed = (contentType ?? "").replaceAll(/"[^"]*"/g, "").split(",");
  return listed.map((each) => parseContentType(each).type);
}

/**
 * Reads a decompressed body by its media type: JSON, JSON lines and JSON sequences as strings, names and numbers, forms as names
 * and values, every other text type, also multipart, as one text. Refuses bodies that readers could interpret differently.
 * @throws UnreadableBody
 */
export function* readBodyTextsInSteps({ bytes: body, contentType, side }: TypedBody): Generator<void, ReadableBody> {
  const { type, charset } = parseContentType(contentType);
  if (!readableCharsets.has(charset)) throw new UnreadableBody("must be in UTF-8");
  if (!isTextType(type)) throw new UnreadableBody(`must be text, not '${type.slice(0, typeLengthMax)}'`);
  if (!isUtf8(body) || body.includes(0)) throw new UnreadableBody("must be text in UTF-8");
  if (encodedTypes.has(type)) throw new UnreadableBody(`must not be of type '${type}', which encodes its text`);
  if (type === "application/json" || type.endsWith("+json")) return yield* readJson(body, side);
  if (jsonLinesTypes.has(type)) return yield* readJsonParts(body, side, lineFeed);
  // RFC 7464.
  if (type === "application/json-seq" || type.endsWith("+json-seq"))
    return yield* readJsonParts(body, side, recordSeparator);
  if (type === "application/x-www-form-urlencoded") return yield* readForm(body);
  return yield* readPlain(body, type);
}

const typeLengthMax = 100;
const jsonLinesTypes: ReadonlySet<string> = new Set([
  "application/jsonl",
  "application/jsonlines",
  "application/ndjson",
  "application/x-jsonl",
  "application/x-jsonlines",
  "application/x-ndjson",
]);
/** Formats of text with escapes that no check reads. */
const encodedTypes: ReadonlySet<string> = new Set(["application/rtf", "text/rtf"]);
const readableCharsets: ReadonlySet<string> = new Set(["", "utf-8", "utf8", "us-ascii"]);
/** Text types outside `text/`. */
const textTypes: ReadonlySet<string> = new Set([
  ...jsonLinesTypes,
  ...encodedTypes,
  "",
  "application/csv",
  "application/ecmascript",
  "application/graphql",
  "application/javascript",
  "application/json",
  "application/json-seq",
  "application/json5",
  "application/sql",
  "application/toml",
  "application/typescript",
  "application/x-ecmascript",
  "application/x-javascript",
  "application/x-json",
  "application/x-latex",
  "application/x-sh",
  "application/x-tex",
  "application/x-typescript",
  "application/x-www-form-urlencoded",
  "application/x-yaml",
  "application/xml",
  "application/yaml",
  "multipart/form-data",
  "multipart/mixed",
  "multipart/related",
]);

function isTextType(type: string): boolean {
  return textTypes.has(type) || /^(?:text|message)\/|\+(?:json|json-seq|xml|yaml)$/.test(type);
}

function parseContentType(header: string | undefined): { readonly type: string; readonly charset: string } {
  const [type = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(text)?.[1]).find((name) => name);
  return { type: type.trim(), charset: charset ?? "" };
}

function* readJson(body: Buffer, side: Side): Generator<void, ReadableBody> {
  return yield* readTokens(body, checkJson(body, side), () => [body.toString("utf8")]);
}

/** Reads JSON texts with a separator between them. */
function* readJsonParts(body: Buffer, side: Side, separator: number): Generator<void, ReadableBody> {
  return yield* readTokens(body, checkParts(), () => body.toString("utf8").split(String.fromCharCode(separator)));

  function* checkParts(): Generator<void, void> {
    for (let from = 0; from < body.length;) {
      const end = body.indexOf(separator, from);
      const part = body.subarray(from, end < 0 ? body.length : end);
      if (part.some((byte) => byte > space)) yield* checkJson(part, side);
      from += part.length + 1;
      yield;
    }
  }
}

/** Checks a JSON body; servers disagree on duplicate keys. @throws JsonRefusal */
function* checkJson(json: Buffer, side: Side): Generator<void, void> {
  yield* parseJsonInSteps(json.toString("utf8"), { keys: side === "input" ? "unambiguous" : "any" });
}

function* readTokens(
  body: Buffer,
  check: Generator<void, void>,
  values: () => readonly string[],
): Generator<void, ReadableBody> {
  try {
    yield* check;
    const tokens = yield* readTextTokensInSteps(body, bodyTextsMax);
    const segments = tokens.map(({ text, isNamed }) => ({ role: "parameter", place: "body", text, isNamed }));
    return { segments, values, replace: (texts) => replaceTextTokensInSteps(body, tokens, texts) };
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    throw new UnreadableBody(err.clause, { cause: err });
  }
}

function* readForm(body: Buffer): Generator<void, ReadableBody> {
  // Counted before the body is split, since each mark becomes a piece.
  const marks = yield* countMarks(body);
  if (marks > bodyMarksMax) throw new UnreadableBody(`must not hold more than ${bodyMarksMax} characters '&' and '='`);
  const pieces = body.toString("utf8").split(/([&=])/);
  yield;
  const found = pieces.filter((piece) => piece !== "" && piece !== "&" && piece !== "=").length;
  if (found > bodyTextsMax) throw new UnreadableBody(`must not hold more than ${bodyTextsMax} texts`);
  yield;
  const texts: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    texts.push(index % 2 === 0 ? decodeForm(piece) : "");
    if (index % stepPieces === stepPieces - 1) yield;
  }
  const filled = [...texts.entries()].filter(([, text]) => text !== "");
  const segments = filled.map(([index, text]) => ({
    role: "parameter",
    place: "body",
    text,
    isNamed: isNamedPiece(pieces, index),
  }));
  return {
    segments,
    *replace(replacements) {
      const replaced = [...pieces];
      for (const [at, [index, text]] of filled.entries()) {
        const replacement = replacements[at] ?? text;
        if (replacement !== text) replaced[index] = encodeURIComponent(replacement);
        if (at % stepPieces === stepPieces - 1) yield;
      }
      return Buffer.from(replaced.join(""));
    },
  };
}

function* countMarks(body: Buffer): Generator<void, number> {
  let marks = 0;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === ampersand || byte === equals) marks += 1;
    if (index % stepBytes === stepBytes - 1) yield;
  }
  return marks;
}

/** URL standard, "application/x-www-form-urlencoded parsing". */
function decodeForm(piece: string): string {
  if (!piece.includes("%")) return piece.replaceAll("+", " ");
  try {
    return decodeURIComponent(piece.replaceAll("+", " "));
  } catch (cause) {
    throw new UnreadableBody("must be a form encoded as UTF-8", { cause });
  }
}

/** Declarations that change a text's meaning: transfer encodings of parts, entities, another character set. */
const disguises: readonly RegExp[] = [
  /content-transfer-encoding[ \t]*:[ \t]*(?!7bit|8bit|binary)/i,
  /^content-type[ \t]*:[^\r\n]*charset[ \t]*=[ \t]*"?(?!utf-?8|us-ascii)/im,
  /name="?_charset_/i,
  // RFC 2047, in headers of mails and parts.
  /=\?[\w-]+(?:\*[\w-]+)?\?[bq]\?/i,
  /<!entity/i,
  /<\?xml[^>]{0,200}encoding[ \t\r\n]*=[ \t\r\n]*["'](?!utf-?8|us-ascii)/i,
];

function* readPlain(body: Buffer, type: string): Generator<void, ReadableBody> {
  const text = body.toString("utf8");
  const isStructured = /^(?:multipart|message)\/|xml$|^$/.test(type);
  for (const pattern of isStructured ? disguises : []) {
    yield;
    if (pattern.test(text))
      throw new UnreadableBody("must not have parts with another encoding or character set, or XML entities");
  }
  const segments = text === "" ? [] : [{ role: "user", place: "body", text }];
  return {
    segments,
    // eslint-disable-next-line require-yield -- one text is one step
    *replace([replaced = text]) {
      return replaced === text ? body : Buffer.from(replaced);
    },
  };
}
