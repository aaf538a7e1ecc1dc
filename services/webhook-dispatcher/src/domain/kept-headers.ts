/** Headers of a receiver's reply by their lowercase names, as a record keeps them. */
export type KeptHeaders = Readonly<Record<string, string>>;

/** Bounds of what a record keeps. */
export const keptHeaderBounds = { count: 50, nameLength: 100, valueLength: 500 } as const;

/** In place of a value that may be a secret. */
export const redactedValue = "(not kept)";

/** Names whose values let a caller in: sessions, keys, signatures. A receiver's reply may set them, and a record is read by many. */
const secretName =
  /cookie|auth|token|secret|passw|credential|session|signature|csrf|xsrf|(?:^|[-_])(?:key|sid|jwt)(?:$|[-_])|api-?key/;

/** Parts of an address that may be a secret: what stands before the host, and all from its question mark or fragment on. */
const secretOfAddress = /(?<=:\/\/)[^/@]*@|[?#].*$/gs;

/**
 * The first headers of a reply, values cut, without such as may be secret. What a person looks for here is who answered (a proxy,
 * a cache, a firewall) and how it names the request.
 */
export function keepHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): KeptHeaders {
  const { count, nameLength } = keptHeaderBounds;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(given.slice(0, count).map(([name, value]) => [cut(name, nameLength), toKept(name, value)]));
}

function toKept(name: string, value: string | readonly string[]): string {
  if (secretName.test(name)) return redactedValue;
  const text = typeof value === "string" ? value : value.join(", ");
  const isAddress = name === "location" || name === "content-location" || name === "refresh" || name === "link";
  return cut(isAddress ? text.replaceAll(secretOfAddress, "") : text, keptHeaderBounds.valueLength);
}

/** Shortens a text and leaves out what Postgres' JSON does not take: NUL, and half of a surrogate pair. */
function cut(text: string, lengthMax: number): string {
  const kept = text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
  return kept.toWellFormed().replaceAll("\0", "\uFFFD");
}
