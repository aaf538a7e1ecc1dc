import {
  array,
  boolean,
  type Columns,
  defineResource,
  fixed,
  id,
  matching,
  nullable,
  oneOf,
  project,
  quote,
  reference,
  refined,
  resourceNotFound,
  shown,
} from "@gatehouse/admin";
import { GatewayError, invalidArgument } from "@gatehouse/errors";
import { adminRoles, personPrefix } from "@gatehouse/principal";
import { unseenCharacters } from "@gatehouse/principal/unseen-characters";
import { looksLikeOne } from "./name-skeleton.ts";
import { requireProjectUuid } from "./project.ts";
import { createdAt, expiresAt, lastUsedAt, nameLengthMax, unrepeated } from "./shared-fields.ts";

/** Projects of one administrator. */
const projectsMax = 200;

const seen = String.raw`[^\p{C}\p{White_Space}${unseenCharacters}]+`;

/** Name of the key from the environment, the recovery access. */
export const environmentKeyName = "environment";
/** Name of the key that the service generates. */
export const initialKeyName = "initial";
const ownNames = [environmentKeyName, initialKeyName];

/** Without invisible characters, so that no two names look alike. */
const visibleName = matching({
  description: `A name for people, by which the audit log says who has acted; not ${ownNames.join(" or ")}.`,
  lengthMax: nameLengthMax,
  pattern: new RegExp(`^${seen}(?: ${seen})*$`, "u"),
  problem:
    "must not begin or end with white space, or hold characters that cannot be seen: the audit log says by it who has acted",
  except: {
    pattern: new RegExp(`^${personPrefix}`),
    problem: `must not begin with '${personPrefix}', as people who sign in are named`,
  },
});

/**
 * Excludes the names of the gateway's own keys, which the start finds by name and gives the rights of an owner, and names that
 * readers of the audit log would take for them.
 */
const plainName = refined(visibleName, (given) =>
  looksLikeOne(given, ownNames)
    ? `must not be ${ownNames.join(" or ")}, as the gateway names its own keys, nor look like these`
    : undefined,
);

/** An admin key without its plaintext. */
export const adminKey = defineResource({
  id: shown(id("The admin key's id.")),
  // In one form of Unicode, so that a letter with an accent does not make two names.
  name: fixed(plainName, { store: (given) => given.normalize("NFC") }),
  role: fixed(oneOf("Rights of the administrator.", adminRoles)),
  projects: {
    ...fixed(
      nullable(
        array(project, {
          description: "The uuids of the projects that the role is for; null or absent is the whole gateway.",
          min: 1,
          max: projectsMax,
        }),
      ),
      { store: (given) => (given === null ? null : unrepeated(given.map(requireProjectUuid))) },
    ),
    create: "optional",
  },
  source: shown(reference("environment, initial or administrator.")),
  is_active: shown(boolean("False once revoked, which is permanent.")),
  created_at: createdAt,
  last_used_at: lastUsedAt,
  expires_at: expiresAt,
});

/** The part of an admin key that administrators write; null projects: the whole gateway. */
export interface AdminKeySettings extends Omit<Columns<typeof adminKey.fields>, "expiresAt"> {
  readonly expiresAt: Date | null;
}

/** Origin of a key: `GATEHOUSE_ADMIN_KEY`, the first start, or an administrator. */
type AdminKeySource = "environment" | "initial" | "administrator";

/** An admin key without its plaintext, which is not stored. */
export interface AdminKey extends AdminKeySettings {
  readonly id: number;
  readonly source: AdminKeySource;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Derives a key's origin from the names that only the gateway assigns. */
export function sourceOf(name: string): AdminKeySource {
  if (name === environmentKeyName) return "environment";
  return name === initialKeyName ? "initial" : "administrator";
}

/** Error `not_found` for an id that no admin key has had; revoked keys are still found. */
export function adminKeyNotFound(id: number): GatewayError {
  return resourceNotFound("Admin key", id);
}

/**
 * Refuses a name that was used before, even by a revoked key, or that people may take for such a name (`nameSkeleton`), since the
 * audit log identifies actors by name.
 */
export function adminKeyNameTaken(name: string): GatewayError {
  return new GatewayError(
    "already_exists",
    `An admin key named ${quote(name)}, or with a name that looks like it, exists already, or did. Choose another name.`,
  );
}

/** Refuses to change the environment's key, which only the environment changes. */
export function environmentKeyRefused(id: number): GatewayError {
  const change = "change GATEHOUSE_ADMIN_KEY, or switch it off with GATEHOUSE_ADMIN_KEY_ENABLED=false";
  return invalidArgument(`Admin key ${id} comes from the environment: ${change}.`);
}

/** Refuses to revoke or change the last key that could reverse it. */
export function lastOwnerRefused(id: number): GatewayError {
  const fix = "Create another owner of the whole gateway that does not expire first.";
  return invalidArgument(`Admin key ${id} is the last owner's. ${fix}`);
}

/** Why a key cannot be rotated: a new plaintext would not work either. Undefined where it can. */
export function findKeyRotationProblem(key: AdminKey, now: Date): GatewayError | undefined {
  if (key.source === "environment") return environmentKeyRefused(key.id);
  const problem = !key.isActive ? "is revoked" : isExpired(key, now) ? "has expired" : undefined;
  if (problem === undefined) return undefined;
  return invalidArgument(`Admin key ${problem}: ${key.id}. Create a new one instead.`);
}

function isExpired({ expiresAt }: AdminKey, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Whether this key alone keeps the gateway administrable without a time limit. */
export function isLastingOwner({ role, projects, isActive, expiresAt }: AdminKey): boolean {
  return isActive && role === "owner" && projects === null && expiresAt === null;
}
