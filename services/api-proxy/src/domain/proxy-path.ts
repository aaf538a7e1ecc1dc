/** Undecoded parts of `/api/{uuid}/{slug}…`. Only a `rest` that `joinUpstreamPath` accepts may be sent to an upstream. */
export interface ProxyPath {
  readonly slug: string;
  /** Path after the slug, as sent: empty, or starts with a slash. */
  readonly rest: string;
  /** Query as sent: empty, or starts with a question mark. */
  readonly query: string;
}

const uuidStart = "/api/".length;

/** Splits `/api/{uuid}/{slug}[/{rest}][?{query}]` without decoding. The router has matched the path's form. */
export function parseProxyPath(target: string): ProxyPath {
  const mark = target.indexOf("?");
  const end = mark < 0 ? target.length : mark;
  const slugStart = target.indexOf("/", uuidStart) + 1;
  const slash = target.indexOf("/", slugStart);
  const slugEnd = slash < 0 || slash > end ? end : slash;
  return { slug: target.slice(slugStart, slugEnd), rest: target.slice(slugEnd, end), query: target.slice(end) };
}

/** Characters that are invalid in a URL (RFC 3986), or that some servers read as another one. */
const foreignCharacters = /[^\x21-\x7e]|[\\?#"<>^`{|}]/;
/** Bytes, one per character, that are invalid UTF-8 and that lenient decoders read as ASCII. */
const overlongUtf8 = /[\xc0\xc1]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]/;
/** A percent sign without two hex digits: decoders keep it, drop it, or read `%u002e` as a character. */
const foreignEncoding = /%(?![0-9a-f]{2})/i;
const wideEncoding = /%u/i;
const decodingsMax = 4;

/**
 * Joins the endpoint's path and the rest of the request's. Undefined for a rest that a server could resolve outside the
 * endpoint's path or to another host: dot segments (plain, percent-encoded once or several times, as full-width or compatible
 * characters, or before a semicolon), two leading slashes (plain, encoded, or backslashes), backslashes, or characters that are
 * invalid in a URL.
 * @param basePath starts with a slash
 */
export function joinUpstreamPath(basePath: string, rest: string): string | undefined {
  if (rest === "") return basePath;
  if (foreignCharacters.test(rest) || leadsOut(rest)) return undefined;
  return basePath.endsWith("/") ? basePath + rest.slice(1) : basePath + rest;
}

/**
 * Two leading slashes start an authority in a relative reference (RFC 3986, section 4.2), which is what remains where a server
 * strips the endpoint's own path. URL parsers drop tabs, and read a backslash as a slash.
 */
const authorityStart = /^[/\\]\t*[/\\]/;

/** Whether any interpretation of a path has a dot segment or starts with an authority; otherwise it stays below its base path. */
function leadsOut(path: string): boolean {
  if (authorityStart.test(path)) return true;
  if (!path.includes("%")) return hasDotSegment(path);
  if (foreignEncoding.test(path)) return true;
  let reading = path;
  for (let times = 0; times < decodingsMax; times++) {
    const decoded = decodeOnce(reading);
    if (hasControl(decoded) || overlongUtf8.test(decoded) || wideEncoding.test(decoded)) return true;
    if (startsElsewhere(decoded) || startsElsewhere(compatible(decoded))) return true;
    if (decoded === reading) return false;
    reading = decoded;
  }
  // Encoded more often than legitimate paths are.
  return true;
}

function startsElsewhere(path: string): boolean {
  return hasDotSegment(path) || authorityStart.test(path);
}

/** Decodes UTF-8, and maps full-width and other compatible characters to plain ones, as some systems do. */
function compatible(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8").normalize("NFKC").replaceAll(slashLike, "/");
}

/** Characters that best-fit conversions to legacy character sets map to slashes, unlike Unicode. */
const slashLike = /[\u2044\u2215\u29f8\u2216\u29f5]/g;

function hasDotSegment(path: string): boolean {
  return path.includes(".") && path.split(/[/\\]/).some(isDotSegment);
}

/** Matches dots, and spaces that some servers trim, before parameters or a query that others cut off. */
function isDotSegment(segment: string): boolean {
  const [name = ""] = segment.split(/[;?#]/, 1);
  return name.includes(".") && /^[.\s]+$/.test(name);
}

function hasControl(path: string): boolean {
  return /[\0\r\n]/.test(path);
}

/** Decodes single bytes, like servers that ignore UTF-8. */
function decodeOnce(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
