import type { AdminRole } from "@gatehouse/principal";
import type { SignInProvider, SignInRule } from "./sign-in-provider.ts";

/** A provider's claims about a person: the ID token's, and those of its UserInfo endpoint. */
export type SignInClaims = Readonly<Record<string, unknown>>;

/** Rights that a person's groups stand for. */
export interface SignInGrant {
  readonly role: AdminRole;
  /** Null stands for the whole gateway. */
  readonly projects: readonly string[] | null;
}

/** Length of a person's name in the audit log, characters. */
const nameLengthMax = 200;

/**
 * The grant of the rules to a person: the first one that holds says the role, and where it is for named projects, later ones of the
 * same role that hold add theirs. Undefined where none holds, or the first that holds gives nothing.
 */
export function grantOfClaims(rules: readonly SignInRule[], claims: SignInClaims): SignInGrant | undefined {
  const [first, ...further] = rules.filter((rule) => holds(rule, claims));
  if (first === undefined || first.role === "none") return undefined;
  const { role, projects } = first;
  if (projects === null) return { role, projects };
  const added = further.flatMap((rule) => (rule.role === role ? (rule.projects ?? []) : []));
  return { role, projects: [...new Set([...projects, ...added])] };
}

/** The claims that rules look at and that did not come: what an operator looks for when a person is refused. */
export function missingClaims(rules: readonly SignInRule[], claims: SignInClaims): readonly string[] {
  const names = new Set(rules.map(({ claim }) => claim));
  return [...names].filter((name) => valueOf(name, claims) === undefined);
}

/** Name of a person: the claim that the operator chose, without control characters, else the subject. */
export function nameOfClaims({ nameClaim }: Pick<SignInProvider, "nameClaim">, claims: SignInClaims): string {
  const name = valueOf(nameClaim, claims);
  const text = typeof name === "string" ? name : String(claims["sub"]);
  const shown = text.replace(/[\p{C}\s]+/gu, " ").trim();
  return (shown === "" ? String(claims["sub"]) : shown).slice(0, nameLengthMax);
}

/**
 * Claims without an address that the provider has not verified: anybody may have entered it. One that says nothing about it has not
 * verified it (OpenID Connect Core 1.0, section 5.1).
 */
export function withoutUnverified(claims: SignInClaims): SignInClaims {
  if (claims["email_verified"] === true) return claims;
  const { email: _unverified, ...kept } = claims;
  return kept;
}

function holds({ claim, has }: SignInRule, claims: SignInClaims): boolean {
  const value = valueOf(claim, claims);
  return Array.isArray(value) ? value.includes(has) : value === has;
}

/** By its name, which may have dots (`https://example.com/groups`), else along the path (`realm_access.roles`). */
function valueOf(name: string, claims: SignInClaims): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as SignInClaims)[part];
  }
  return value;
}
