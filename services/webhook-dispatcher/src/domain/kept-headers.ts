/** Stored headers of a receiver's reply, names in lower case. */
export type KeptHeaders = Readonly<Record<string, string>>;

/** Bounds of the stored headers. */
export const keptHeaderBounds = { count: 50, nameLength: 100, valueLength: 500 } as const;

/** Replaces a value that may be a secret. */
export const redactedValue = "(not kept)";

/** Names whose values may be credentials: sessions, keys, signatures. Receivers may set them, and many people may read a record. */
const secretName =
  /cookie|auth|token|secret|passw|credential|session|signature|csrf|xsrf|(?:^|[-_])(?:key|sid|jwt)(?:$|[-_])|api-?key/;

/** Parts of an address that may be secret: user information, query and fragment. */
const secretOfAddress = /(?<=:\/\/)[^/@]*@|[?#].*$/gs;

/**
 * Selects the first headers of a reply, with truncated values and without possible secrets. They show people who answered (a
 * proxy, a cache, a firewall) and the receiver's request id.
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

/** Truncates a text and removes what Postgres' JSON refuses: NUL, and lone surrogates. */
function cut(text: string, lengthMax: number): string {
  const kept = text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
  return kept.toWellFormed().replaceAll("\0", "\uFFFD");
}
