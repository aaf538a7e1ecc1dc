import type { AdminRole } from "@gatehouse/principal";
import { unseenCharacters } from "@gatehouse/principal/unseen-characters";
import type { SignInProvider, SignInRule } from "./sign-in-provider.ts";

/** A provider's claims about a person, from the ID token and the UserInfo endpoint. */
export type SignInClaims = Readonly<Record<string, unknown>>;

/** Rights of a person by their groups. */
export interface SignInGrant {
  readonly role: AdminRole;
  /** Null: the whole gateway. */
  readonly projects: readonly string[] | null;
}

/** Longest name of a person in the audit log, Unicode code points. */
const nameLengthMax = 200;

/**
 * Grants the role of the first matching rule; where it is for named projects, later matching rules of the same role add theirs.
 * Undefined where none matches, or the first match grants nothing.
 */
export function grantOfClaims(rules: readonly SignInRule[], claims: SignInClaims): SignInGrant | undefined {
  const [first, ...further] = rules.filter((rule) => holds(rule, claims));
  if (first === undefined || first.role === "none") return undefined;
  const { role, projects } = first;
  if (projects === null) return { role, projects };
  const added = further.flatMap((rule) => (rule.role === role ? (rule.projects ?? []) : []));
  return { role, projects: [...new Set([...projects, ...added])] };
}

/** Claims that rules use and that are absent; helps an operator explain a refusal. */
export function missingClaims(rules: readonly SignInRule[], claims: SignInClaims): readonly string[] {
  const names = new Set(rules.map(({ claim }) => claim));
  return [...names].filter((name) => valueOf(name, claims) === undefined);
}

const unseen = new RegExp(String.raw`[\p{C}\s${unseenCharacters}]+`, "gu");

/** Name of a person: the configured claim without unseen characters, else the subject. */
export function nameOfClaims({ nameClaim }: Pick<SignInProvider, "nameClaim">, claims: SignInClaims): string {
  const name = valueOf(nameClaim, claims);
  const text = typeof name === "string" ? name : String(claims["sub"]);
  const shown = text.normalize("NFC").replace(unseen, " ").trim();
  const characters = Array.from(shown === "" ? String(claims["sub"]) : shown);
  return characters.slice(0, nameLengthMax).join("");
}

/**
 * Removes an email address that the provider has not verified: anyone may have entered it. A missing `email_verified` counts as
 * unverified (OpenID Connect Core 1.0, section 5.1).
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

/** Reads a claim by its name, which may contain dots (`https://example.com/groups`), else by path (`realm_access.roles`). */
function valueOf(name: string, claims: SignInClaims): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as SignInClaims)[part];
  }
  return value;
}
