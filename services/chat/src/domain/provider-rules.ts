import { GatewayError } from "@gatehouse/errors";
import { isProviderKind, type ProviderKind, providerKinds } from "./provider.ts";

const namePattern = /^(?=.{1,63}$)[A-Za-z0-9][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*$/;
const credentialNameLengthMax = 200;
const apiKeyLengthMax = 10_000;

/** Kinds whose public address is not one and the same for everybody. */
const kindsThatNeedBaseUrl: ReadonlySet<ProviderKind> = new Set(["openai-compatible", "azure-openai"]);

/** Why connecting to a URL's host is never allowed; undefined where it may be. */
export type FindHostProblem = (hostname: string) => string | undefined;

/** Checks a provider to be made. @throws GatewayError `invalid_argument` naming the argument and how to mend it. */
export function checkProvider(
  provider: { readonly name: string; readonly kind: string; readonly baseUrl?: string | undefined },
  findHostProblem: FindHostProblem,
): { readonly name: string; readonly kind: ProviderKind; readonly baseUrl: string | null } {
  const { name, kind, baseUrl } = provider;
  if (!namePattern.test(name)) {
    refuse(
      "name must be 1 to 63 characters of letters, digits, '.', '_' and '-', with single spaces between words, and start with a letter or digit",
    );
  }
  if (!isProviderKind(kind)) refuse(`Invalid kind: ${kind}. Choose one of ${providerKinds.join(", ")}`);
  if (baseUrl !== undefined) checkBaseUrl(baseUrl, findHostProblem);
  else if (kindsThatNeedBaseUrl.has(kind)) refuse("Missing required argument: base_url");
  return { name, kind, baseUrl: baseUrl ?? null };
}

/** Checks a credential to be made. @throws GatewayError `invalid_argument`, which never quotes the key. */
export function checkCredential({ name, apiKey }: { readonly name: string; readonly apiKey: string }): void {
  if (name === "" || name.length > credentialNameLengthMax || name.includes("\0")) {
    refuse(`name must have 1 to ${credentialNameLengthMax} characters`);
  }
  // A key goes into a header; RFC 9110 allows visible ASCII there.
  if (!/^[\x21-\x7e]+$/.test(apiKey) || apiKey.length > apiKeyLengthMax) {
    refuse(`api_key must have 1 to ${apiKeyLengthMax} visible ASCII characters`);
  }
}

function checkBaseUrl(baseUrl: string, findHostProblem: FindHostProblem): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) refuse("base_url must be an http or https URL");
  if (url.username !== "" || url.password !== "")
    refuse("base_url must hold no credentials; make a credential instead");
  const problem = findHostProblem(url.hostname);
  if (problem !== undefined) refuse(`base_url must not be this address. ${problem}`);
  if (url.search !== "" || url.hash !== "") refuse("base_url must have no query and no fragment");
}

function refuse(message: string): never {
  throw new GatewayError("invalid_argument", message);
}
