import { httpUrlRule } from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import type { ProviderKind } from "@gatehouse/providers";

/** Lengths in characters. */
export const providerBounds = { nameLengthMax: 63 } as const;
/** Lengths of a credential's name and key, characters. */
export const credentialBounds = { nameLengthMax: 200, keyLengthMax: 10_000 } as const;

/** A provider's name; {@link providerNameRule} is its message. */
export const providerNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*$/;
/** Words of {@link providerNamePattern}, to follow "must be". */
export const providerNameRule =
  "1 to 63 characters of letters, digits, '.', '_' and '-', with single spaces between words, and start with a letter or digit";

/** A key is sent in a header, in which RFC 9110 allows visible ASCII. */
export const keyPattern = /^[\x21-\x7e]+$/;
/** Words of {@link keyPattern}, to follow "must be". */
export const keyRule = "visible ASCII characters without spaces";

/** Kinds without a common public address. */
const kindsThatNeedBaseUrl: ReadonlySet<ProviderKind> = new Set(["openai-compatible", "azure-openai"]);

/** Kinds whose base URL may have a query: Azure's contains the API version. */
const kindsWithQuery: ReadonlySet<ProviderKind> = new Set(["azure-openai"]);

/** Returns why connections to a host are never allowed; undefined where they may be. */
type FindHostProblem = (hostname: string) => string | undefined;

/** The part of a provider that administrators write. */
export interface ProviderDefinition {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Null: the kind's public address. */
  readonly baseUrl: string | null;
}

/** Base URL without a trailing slash; undefined: the kind's public address. */
export function withoutTrailingSlash(baseUrl: string | null): string | undefined {
  return baseUrl?.replace(/\/+$/, "");
}

/** The problem of a base URL, for all kinds of providers, worded to follow the field's name; undefined: none. */
export function findBaseUrlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return httpUrlRule;
  if (url.username !== "" || url.password !== "") return "must not have credentials; create a credential instead";
  return url.hash === "" ? undefined : "must not have a fragment";
}

/**
 * Checks the rules of a provider beyond the bounds of its fields, which the administration's table enforces.
 * @throws GatewayError `invalid_argument` naming the argument and the remedy
 */
export function checkProvider({ kind, baseUrl }: ProviderDefinition, findHostProblem: FindHostProblem): void {
  if (baseUrl === null) {
    if (kindsThatNeedBaseUrl.has(kind)) throw invalidArgument("Missing required argument: base_url");
    return;
  }
  const { hostname, search } = new URL(baseUrl);
  const problem = findHostProblem(hostname);
  if (problem !== undefined) throw invalidArgument(`base_url must not be this address. ${problem}`);
  if (search !== "" && !kindsWithQuery.has(kind))
    throw invalidArgument("base_url must not have a query; only that of azure-openai may have one");
}
