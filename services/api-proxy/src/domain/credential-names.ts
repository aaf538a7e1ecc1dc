/**
 * Names under which an upstream may accept a caller's credential instead of the endpoint's own: the endpoint's header in any
 * case, with dashes, underscores or neither, with or without `X-`, and its query parameters (RFC 6750, section 2.3).
 */
export class CredentialNames {
  readonly #names: ReadonlySet<string>;
  readonly #queryNames: ReadonlySet<string>;

  /** @param header of the endpoint's own authorisation; undefined where it has none */
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

  /** Removes the parameters with such a credential from a query; others are unchanged. */
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

/** Some servers also separate parameters by semicolons. */
const separators = /[&;]/;

/** Normalises names: `X-Api-Key`, `x_api_key` and `api.key` are equal; PHP reads dots and blanks as underscores. */
function fold(name: string): string {
  const dashed = name.toLowerCase().replaceAll(/[_.\s+]/g, "-");
  return dashed.replace(/^-*x-+/, "").replaceAll("-", "");
}

/** Decodes single bytes, so that no malformed sequence hides a name. Ends at `[`, with which some languages index names. */
function decoded(name: string): string {
  const plain = name.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain.split("[", 1)[0] ?? "";
}
