import type { AdminRole, NamedProvider } from "@gatehouse/principal";
import type { Secret } from "@gatehouse/vault";

/** An identity provider with which people sign in at the console, as the operator has set it up. */
export interface SignInProvider extends NamedProvider {
  /** URL of the identity provider, as its tokens name it (iss). */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: Secret | undefined;
  /** Asked for beside `openid`. */
  readonly scopes: readonly string[];
  /** The claim by which the person is named in the audit log; the subject where it is absent. */
  readonly nameClaim: string;
  readonly rules: readonly SignInRule[];
}

/** The grant of a claim: a role, for the whole gateway or for named projects; or nothing, whatever later rules say. */
export interface SignInRule {
  /** The claim's name, or a path into it with dots. */
  readonly claim: string;
  /** The claim must be this text, or a list that has it. */
  readonly has: string;
  readonly role: AdminRole | "none";
  /** Null stands for the whole gateway. */
  readonly projects: readonly string[] | null;
}

/** Why a sign-in is refused; the console has words for each. */
const signInRefusals = [
  /** The person or the provider has said no. */
  "declined",
  /** The attempt is not this browser's, has been used, or is too old. */
  "expired",
  /** The provider's answer is not valid. */
  "failed",
  /** No rule gives the person a role. */
  "not_allowed",
  "too_many",
  "unavailable",
  "unknown_provider",
] as const;

/** Reason of a failed sign-in; the console has a sentence for each. */
export type SignInRefusal = (typeof signInRefusals)[number];
