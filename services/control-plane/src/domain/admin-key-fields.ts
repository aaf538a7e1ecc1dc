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
  parseUuid,
  project,
  reference,
  shown,
} from "@gatehouse/admin";
import { adminRoles, personPrefix } from "@gatehouse/principal";
import { projectNotFound } from "./project.ts";
import { createdAt, lastUsedAt, nameLengthMax, unrepeated } from "./shared-fields.ts";
import { expiresAt } from "./token-fields.ts";

/** Projects of one administrator. */
const projectsMax = 200;

/** A name that shows all of itself, so that no two names look alike by characters that cannot be seen. */
const plainName = matching({
  description: "A name for people, by which the audit log says who has acted.",
  lengthMax: nameLengthMax,
  pattern: /^[^\s\p{C}]+(?: [^\s\p{C}]+)*$/u,
  problem:
    "must not begin or end with white space, or hold characters that cannot be seen: the audit log says by it who has acted",
  except: {
    pattern: new RegExp(`^${personPrefix}`),
    problem: `must not begin with '${personPrefix}', as people who sign in are named`,
  },
});

/** A key of an administrator, without its plaintext. */
export const adminKey = defineResource({
  id: shown(id("The admin key's id.")),
  name: fixed(plainName),
  role: fixed(oneOf("What the administrator may do.", adminRoles)),
  projects: {
    ...fixed(
      nullable(
        array(project, {
          description: "The uuids of the projects that the role is for; null or absent is the whole gateway.",
          min: 1,
          max: projectsMax,
        }),
      ),
      { store: (given) => (given === null ? null : unrepeated(given.map(toUuid))) },
    ),
    create: "optional",
  },
  source: shown(reference("environment, initial or administrator.")),
  is_active: shown(boolean("False once revoked, for good.")),
  created_at: createdAt,
  last_used_at: lastUsedAt,
  expires_at: expiresAt,
});

/** The part of an admin key that an administrator writes. Projects that are null stand for the whole gateway. */
export interface AdminKeySettings extends Omit<Columns<typeof adminKey.fields>, "expiresAt"> {
  readonly expiresAt: Date | null;
}

/** @throws GatewayError `not_found` for a text that is no uuid, and so of no project. */
function toUuid(text: string): string {
  const uuid = parseUuid(text);
  if (uuid === undefined) throw projectNotFound(text);
  return uuid;
}
