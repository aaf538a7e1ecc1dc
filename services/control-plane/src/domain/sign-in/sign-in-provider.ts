import type { AdminRole, NamedProvider } from "@gatehouse/principal";
import type { Secret } from "@gatehouse/vault";

/** An identity provider for the console, as the operator configured it. */
export interface SignInProvider extends NamedProvider {
  /** URL of the identity provider, as in the `iss` claim. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, protected by PKCE alone. */
  readonly clientSecret: Secret | undefined;
  /** Requested in addition to `openid`. */
  readonly scopes: readonly string[];
  /** Claim with the person's name for the audit log; where absent, the subject. */
  readonly nameClaim: string;
  readonly rules: readonly SignInRule[];
}

/** Grants a role by a claim, for the whole gateway or named projects; or grants nothing, whatever later rules say. */
export interface SignInRule {
  /** The claim's name, or a dotted path into it. */
  readonly claim: string;
  /** The text that the claim must equal or contain as a list. */
  readonly has: string;
  readonly role: AdminRole | "none";
  /** Null: the whole gateway. */
  readonly projects: readonly string[] | null;
}

/** Reasons for refusing a sign-in; the console has a sentence for each. */
const signInRefusals = [
  /** Declined by the person or the provider. */
  "declined",
  /** The attempt is another browser's, used, or expired. */
  "expired",
  /** The provider's answer is invalid. */
  "failed",
  /** No rule grants a role. */
  "not_allowed",
  "too_many",
  "unavailable",
  "unknown_provider",
] as const;

/** Code that the browser receives for a refused sign-in; the console has a sentence for each. */
export type SignInRefusal = (typeof signInRefusals)[number];
