/**
 * The names under which a server may take a caller's credential in the place of the endpoint's own: that of the endpoint's header
 * in any case, with dashes, underscores or neither, with `X-` or without, and what goes with it in a query (RFC 6750, section 2.3).
 */
export class CredentialNames {
  readonly #names: ReadonlySet<string>;
  readonly #queryNames: ReadonlySet<string>;

  /** @param header the header of the endpoint's own authorisation; undefined where it has none. */
  constructor(header: string | undefined) {
    const own = header === undefined ? [] : [fold(header)];
    const inQuery = own.flatMap((name) => aliasesInQuery[name] ?? []);
    const general = own.some((name) => name.endsWith(apiKey)) ? [apiKey] : [];
    this.#names = new Set([...own, ...general]);
    this.#queryNames = new Set([...this.#names, ...inQuery]);
  }

  hasHeader(name: string): boolean {
    return this.#names.size > 0 && this.#names.has(fold(name));
  }

  /** A query without the parameters that carry such a credential; as it was sent where it has none. */
  withoutThem(query: string): string {
    if (this.#names.size === 0 || query.length < 2) return query;
    const pairs = query.slice(1).split(separators);
    if (!pairs.some((pair) => this.#isOne(pair))) return query;
    const kept = pairs.filter((pair) => !this.#isOne(pair));
    return kept.length === 0 ? "" : `?${kept.join("&")}`;
  }

  #isOne(pair: string): boolean {
    const [name = ""] = pair.split("=", 1);
    return this.#queryNames.has(fold(decoded(name)));
  }
}

const apiKey = "apikey";
const aliasesInQuery: Readonly<Record<string, readonly string[]>> = {
  authorization: ["accesstoken"],
  googapikey: ["key"],
};

/** Some servers separate parameters by semicolons too. */
const separators = /[&;]/;

/** `X-Api-Key`, `x_api_key` and `api.key` are one name; PHP reads dots and blanks in names as underscores. */
function fold(name: string): string {
  const dashed = name.toLowerCase().replaceAll(/[_.\s+]/g, "-");
  return dashed.replace(/^-*x-+/, "").replaceAll("-", "");
}

/** Byte by byte, so that no malformed sequence hides a name. A name may go on with `[` in some languages. */
function decoded(name: string): string {
  const plain = name.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain.split("[", 1)[0] ?? "";
}
