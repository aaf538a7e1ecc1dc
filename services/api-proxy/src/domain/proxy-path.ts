/** Parts of a request's path. */
export interface ProxyPath {
  readonly slug: string;
  /** The path behind the slug: empty, or begins with a slash. As sent. */
  readonly rest: string;
  /** Empty, or begins with a question mark. As sent. */
  readonly query: string;
}

const uuidStart = "/api/".length;

/** Takes `/api/{uuid}/{slug}[/{rest}][?{query}]` apart; nothing is decoded. The router has matched the path's form. */
export function parseProxyPath(target: string): ProxyPath {
  const mark = target.indexOf("?");
  const end = mark < 0 ? target.length : mark;
  const slugStart = target.indexOf("/", uuidStart) + 1;
  const slash = target.indexOf("/", slugStart);
  const slugEnd = slash < 0 || slash > end ? end : slash;
  return { slug: target.slice(slugStart, slugEnd), rest: target.slice(slugEnd, end), query: target.slice(end) };
}

/** Characters that a URL cannot have as they are (RFC 3986), or that some servers read as another one. */
const foreignCharacters = /[^\x21-\x7e]|[\\?#"<>^`{|}]/;
/** Bytes, one a character, that no UTF-8 has, and that careless decoders read as ASCII. */
const overlongUtf8 = /[\xc0\xc1]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]/;
/** A percent sign that encodes no byte: decoders leave it, drop it, or read `%u002e` as a character. */
const foreignEncoding = /%(?![0-9a-f]{2})/i;
const wideEncoding = /%u/i;
const decodingsMax = 4;

/**
 * The path at the upstream: the endpoint's own, then the rest of the request's. Undefined for a rest that some server could read
 * as leading out of the endpoint's path, or to another host: with dot segments (as they are, percent-encoded once or several
 * times, as wide or compatible characters, or before a semicolon), two slashes at its beginning (as they are, encoded, or one of them backward), backslashes, or
 * characters that a URL cannot have.
 * @param basePath begins with a slash.
 */
export function joinUpstreamPath(basePath: string, rest: string): string | undefined {
  if (rest === "") return basePath;
  if (foreignCharacters.test(rest) || leadsOut(rest)) return undefined;
  return basePath.endsWith("/") ? basePath + rest.slice(1) : basePath + rest;
}

/**
 * Two slashes begin a host for software that resolves a path as a reference (RFC 3986, section 4.2), and some servers take off the
 * endpoint's own path before they do. URL parsers drop tabs, and read a backslash as a slash.
 */
const authorityStart = /^[/\\]\t*[/\\]/;

/** Whether any reading of a path has a dot segment, or begins an authority. Without either, no path is above the one that it begins with. */
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
  // Encoded more often than anyone has a reason to.
  return true;
}

function startsElsewhere(path: string): boolean {
  return hasDotSegment(path) || authorityStart.test(path);
}

/** Bytes read as UTF-8, with full-width and other compatible characters as the plain ones that some systems make of them. */
function compatible(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8").normalize("NFKC").replaceAll(slashLike, "/");
}

/** Marks that best-fit conversions to older character sets read as slashes, and Unicode does not. */
const slashLike = /[\u2044\u2215\u29f8\u2216\u29f5]/g;

function hasDotSegment(path: string): boolean {
  return path.includes(".") && path.split(/[/\\]/).some(isDotSegment);
}

/** Dots, and the spaces that some servers trim, before the parameters, or the query, that others cut off. */
function isDotSegment(segment: string): boolean {
  const [name = ""] = segment.split(/[;?#]/, 1);
  return name.includes(".") && /^[.\s]+$/.test(name);
}

function hasControl(path: string): boolean {
  return /[\0\r\n]/.test(path);
}

/** Byte by byte, as servers do it that know nothing of UTF-8. */
function decodeOnce(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
