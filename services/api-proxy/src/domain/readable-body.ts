import { isUtf8 } from "node:buffer";
import type { Segment } from "@gatehouse/guardrail-client";
import { JsonRefusal, parseJson, readTextTokens, replaceTextTokens } from "@gatehouse/json";

/** Texts of one body that are judged. */
export const bodyTextsMax = 50_000;

/** A body as guardrails judge it. */
export interface ReadableBody {
  readonly segments: readonly Segment[];
  /** The body with other texts in place of those of `segments`; where none differs, the bytes that were judged. */
  readonly replace: (texts: readonly string[]) => Buffer;
}

/** A body that cannot be judged. The message completes a sentence that begins with "the body". */
export class UnreadableBody extends Error {}

/**
 * Reads a decompressed body by its media type: JSON as its strings, names and numbers, forms as their names and values, every other
 * type of text as one text, multipart included. What one server could read as something else than was judged is refused.
 * @throws UnreadableBody
 */
export function readBodyTexts(body: Buffer, contentType: string | undefined): ReadableBody {
  const { type, charset } = parseContentType(contentType);
  if (!readableCharsets.has(charset)) throw new UnreadableBody("must be in UTF-8");
  if (!isTextType(type)) throw new UnreadableBody(`is of a type that is no text ('${type.slice(0, typeLengthMax)}')`);
  if (!isUtf8(body) || body.includes(0)) throw new UnreadableBody("must be text in UTF-8");
  if (type === "application/json" || type.endsWith("+json")) return readJson(body);
  if (type === "application/x-www-form-urlencoded") return readForm(body);
  return readPlain(body, type);
}

const typeLengthMax = 100;
const readableCharsets: ReadonlySet<string> = new Set(["", "utf-8", "utf8", "us-ascii"]);
/** Types outside `text/` that are text. Bodies without a type are read as text. */
const textTypes: ReadonlySet<string> = new Set([
  "",
  "application/graphql",
  "application/javascript",
  "application/json",
  "application/jsonl",
  "application/ld+json",
  "application/sql",
  "application/toml",
  "application/x-ndjson",
  "application/x-www-form-urlencoded",
  "application/x-yaml",
  "application/xml",
  "application/yaml",
  "multipart/form-data",
  "multipart/mixed",
  "multipart/related",
]);

function isTextType(type: string): boolean {
  return textTypes.has(type) || type.startsWith("text/") || /\+(?:json|xml|yaml)$/.test(type);
}

function parseContentType(header: string | undefined): { readonly type: string; readonly charset: string } {
  const [type = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(text)?.[1]).find((name) => name);
  return { type: type.trim(), charset: charset ?? "" };
}

function readJson(body: Buffer): ReadableBody {
  try {
    // Of equal keys, one server takes the first and another the last.
    parseJson(body.toString("utf8"), { keys: "unambiguous" });
    const tokens = readTextTokens(body, bodyTextsMax);
    const segments = tokens.map(({ text }) => ({ role: "parameter", place: "body", text }));
    return { segments, replace: (texts) => replaceTextTokens(body, tokens, texts) };
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    throw new UnreadableBody(err.message.replace(/\.$/, ""), { cause: err });
  }
}

function readForm(body: Buffer): ReadableBody {
  const pieces = body.toString("utf8").split(/([&=])/);
  const marks = pieces.filter((piece) => piece !== "" && piece !== "&" && piece !== "=").length;
  if (marks > bodyTextsMax) throw new UnreadableBody(`must not hold more than ${bodyTextsMax} texts`);
  const texts = pieces.map((piece, index) => (index % 2 === 0 ? decodeForm(piece) : ""));
  const filled = [...texts.entries()].filter(([, text]) => text !== "");
  const segments = filled.map(([, text]) => ({ role: "parameter", place: "body", text }));
  const replace = (replacements: readonly string[]) => {
    const replaced = [...pieces];
    for (const [at, [index, text]] of filled.entries()) {
      const replacement = replacements[at] ?? text;
      if (replacement !== text) replaced[index] = encodeURIComponent(replacement);
    }
    return Buffer.from(replaced.join(""));
  };
  return { segments, replace };
}

/** The URL standard, "application/x-www-form-urlencoded parsing". */
function decodeForm(piece: string): string {
  if (!piece.includes("%")) return piece.replaceAll("+", " ");
  try {
    return decodeURIComponent(piece.replaceAll("+", " "));
  } catch (cause) {
    throw new UnreadableBody("must have its form encoded as UTF-8", { cause });
  }
}

/** Declarations by which a text says something else than it shows: encodings of parts, entities, another character set. */
const disguises: readonly RegExp[] = [
  /content-transfer-encoding[ \t]*:[ \t]*(?!7bit|8bit|binary)/i,
  /^content-type[ \t]*:[^\r\n]*charset[ \t]*=[ \t]*"?(?!utf-?8|us-ascii)/im,
  /name="?_charset_/i,
  /<!entity/i,
  /<\?xml[^>]{0,200}encoding[ \t\r\n]*=[ \t\r\n]*["'](?!utf-?8|us-ascii)/i,
];

function readPlain(body: Buffer, type: string): ReadableBody {
  const text = body.toString("utf8");
  const isStructured = type.startsWith("multipart/") || type.endsWith("xml") || type === "";
  if (isStructured && disguises.some((pattern) => pattern.test(text))) {
    throw new UnreadableBody("must have no parts or entities in another encoding");
  }
  const segments = text === "" ? [] : [{ role: "user", place: "body", text }];
  return { segments, replace: ([replaced = text]) => (replaced === text ? body : Buffer.from(replaced)) };
}
