import {
  type Columns,
  defineResource,
  httpUrlRule,
  id,
  nullable,
  ofProject,
  refined,
  resourceNotFound,
  shown,
  string,
  urlLengthMax,
  writable,
  writableOptional,
} from "@gatehouse/admin";
import type { GatewayError } from "@gatehouse/errors";
import { createdAt, rateLimits, scopeList, unrepeated } from "./shared-fields.ts";

const textLengthMax = 255;

/**
 * Validates the form of the URL; the egress guard judges its address. Bounded in bytes, since the URL is a key of an index here, and
 * the name of the event's object in the audit log's indexes, which hold some 2,600.
 */
const url = (description: string) =>
  refined(string({ description, lengthMax: urlLengthMax }), (given) => {
    if (Buffer.byteLength(given) > urlLengthMax) return `must have at most ${urlLengthMax} bytes as UTF-8`;
    const { protocol, username, hash } = URL.parse(given) ?? {};
    if ((protocol === "https:" || protocol === "http:") && username === "" && hash === "") return undefined;
    return `${httpUrlRule} without a user or a fragment`;
  });

/** An identity provider whose tokens a project trusts. */
export const issuer = defineResource({
  id: shown(id("The issuer's id.")),
  project: ofProject,
  issuer: writable(url("Its http or https URL, exactly as its tokens name it (iss), without a user or a fragment.")),
  audience: writable(string({ description: "Audience of its tokens (aud).", lengthMax: textLengthMax })),
  scopes: writable(scopeList, { store: unrepeated, removedBy: [] }),
  scope_claim: writableOptional(
    nullable(
      string({
        description:
          "The claim that narrows the scopes: a list, or a text with spaces. Null: 'scope', and a token without it has all.",
        lengthMax: textLengthMax,
      }),
    ),
  ),
  jwks_url: writableOptional(
    nullable(
      url(
        "Address of its public keys, an http or https URL without a user or a fragment. Null: the address in its OpenID discovery document.",
      ),
    ),
  ),
  ...rateLimits,
  created_at: createdAt,
});

/** The part of an issuer that administrators write. Its rate limits apply to each subject without its own. */
export type IssuerSettings = Columns<typeof issuer.fields>;

/** Stored trust of one project in an issuer. Several projects may trust the same URL, each by a separate record. */
export interface Issuer extends IssuerSettings {
  readonly id: number;
  readonly projectUuid: string;
  readonly createdAt: Date;
}

/** Issuers per project. */
export const issuersMax = 20;
/** Subjects per issuer that have a token id. */
export const subjectsMax = 100_000;

/** For issuers that the caller may not see, too. */
export function issuerNotFound(id: number): GatewayError {
  return resourceNotFound("Issuer", id);
}
