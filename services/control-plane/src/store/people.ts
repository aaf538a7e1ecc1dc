import { invalidArgument } from "@gatehouse/errors";
import { personName } from "@gatehouse/principal";
import type { PrincipalChange } from "../domain/principal-change.ts";
import type { SignInGrant } from "../domain/sign-in/grant-of-claims.ts";
import type { Transaction } from "./principal-store.ts";

/** Identity of a person at an identity provider, which never reassigns it. */
export interface PersonIdentity {
  readonly issuer: string;
  readonly subject: string;
}

interface NamedPerson {
  readonly identity: PersonIdentity;
  readonly name: string;
  readonly grant: SignInGrant;
}

/**
 * Creates a person's administrator at the first sign-in, and updates the grant at later ones. Keeps the first name, which must
 * not become another person's in the audit log.
 */
export async function upsertPerson(
  tx: Transaction,
  { identity, name, grant }: NamedPerson,
): Promise<{ readonly adminKeyId: number; readonly changes: readonly PrincipalChange[] }> {
  const { issuer: signInIssuer, subject: signInSubject } = identity;
  const rights = { role: grant.role, gatewayWide: grant.projects === null, projectUuids: [...(grant.projects ?? [])] };
  const where = { signInIssuer_signInSubject: { signInIssuer, signInSubject } };
  const known = await tx.adminKey.findUnique({ where });
  if (known === null) {
    const data = { name: await freeName(tx, identity, name), signInIssuer, signInSubject, ...rights };
    return { adminKeyId: (await tx.adminKey.create({ data })).id, changes: [] };
  }
  const { id } = known;
  const isSame =
    known.role === rights.role &&
    known.gatewayWide === rights.gatewayWide &&
    known.projectUuids.join() === rights.projectUuids.join();
  if (isSame) return { adminKeyId: id, changes: [] };
  await tx.adminKey.update({ where: { id }, data: rights });
  return { adminKeyId: id, changes: [{ kind: "admin_key", adminKeyId: id }] };
}

/** Largest number of people with one name; each needs another person at the provider who chose that name. */
const namesakesMax = 1_000;

/**
 * Finds an unused name. Providers may give two people one name or reassign a name, and people may choose another's name where
 * they edit the claim; none may lock the other out.
 */
async function freeName(tx: Transaction, { issuer, subject }: PersonIdentity, name: string): Promise<string> {
  for (const candidate of candidates(name, { issuer, subject })) {
    const taken = await tx.adminKey.findUnique({ where: { name: personName(candidate) } });
    if (taken === null) return personName(candidate);
  }
  throw invalidArgument(`More than ${namesakesMax} people have this name. Give the provider another name_claim.`);
}

function* candidates(name: string, { issuer, subject }: PersonIdentity): Iterable<string> {
  yield name;
  yield `${name} (${subject})`;
  const whole = `${name} (${subject} at ${issuer})`;
  yield whole;
  for (let number = 2; number <= namesakesMax; number++) yield `${whole} #${number}`;
}
