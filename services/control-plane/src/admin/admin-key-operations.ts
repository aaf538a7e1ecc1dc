import {
  administerGateway,
  boolean,
  defineCollection,
  defineOperation,
  defineResource,
  fixed,
  id,
  array as listField,
  matching,
  nullable,
  object,
  oneOf,
  parseUuid,
  project,
  reference,
  rowKey,
  shown,
  string,
  toDate,
} from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { adminRoles, hashToken, mintAdminKey, personPrefix } from "@gatehouse/principal";
import type { AdminKey } from "../domain/admin-key.ts";
import { projectNotFound } from "../domain/project.ts";
import { createdAt, lastUsedAt, nameLengthMax, unrepeated } from "../domain/shared-fields.ts";
import { expiresAt } from "../domain/token-fields.ts";
import type { AdminContext } from "./admin-context.ts";

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
const adminKey = defineResource({
  id: shown(id("The admin key's id.")),
  name: fixed(plainName),
  role: fixed(oneOf("What the administrator may do.", adminRoles)),
  projects: {
    ...fixed(
      nullable(
        listField(project, {
          description: "The uuids of the projects that the role is for; null or absent is the whole gateway.",
          min: 1,
          max: projectsMax,
        }),
      ),
    ),
    create: "optional",
  },
  source: shown(reference("environment, initial or administrator.")),
  is_active: shown(boolean("False once revoked, for good.")),
  created_at: createdAt,
  last_used_at: lastUsedAt,
  expires_at: expiresAt,
});

const adminKeys = defineCollection({
  list: "admin_keys",
  key: rowKey("Admin key", "admin_key_id"),
  shape: adminKey.shape,
  show: (row: AdminKey, _context: AdminContext) => adminKey.encode(row),
});

const create = defineOperation({
  name: "svc_create_admin_key",
  description:
    "Creates an administrator's key. An owner may do everything, an editor all but what is the owners', a viewer reads; for the whole " +
    "gateway or for named projects. The reply holds its plaintext, which cannot be read again.",
  access: administerGateway,
  input: object(adminKey.createInput),
  output: object({ ...adminKey.shape.properties, key: string() }),
  async run({ input, initiator }, context: AdminContext) {
    const expiry = (input.expires_at ?? null) === null ? null : toDate(input.expires_at ?? "");
    if (expiry !== null && expiry <= new Date(context.wallNow())) {
      throw new GatewayError("invalid_argument", "expires_at must lie in the future");
    }
    const plaintext = mintAdminKey().reveal();
    const projects = input.projects ?? null;
    const wanted = {
      name: input.name,
      role: input.role,
      projects: projects === null ? null : unrepeated(projects.map(toUuid)),
      expiresAt: expiry,
      hash: hashToken(plaintext),
    };
    return { ...adminKey.encode(await context.adminKeys.create(wanted, initiator)), key: plaintext };
  },
});

const list = adminKeys.list({
  name: "svc_list_admin_keys",
  description: "Lists admin keys, revoked ones included, oldest first. Plaintexts are not kept.",
  access: administerGateway,
  find: async (_call, page, context: AdminContext) => await context.adminKeys.list(page),
});

const rotate = adminKeys.about({
  name: "svc_rotate_admin_key",
  description:
    "Gives an admin key a new plaintext under the same id; the old one stops working at once, and its console sessions end. Refused " +
    "for a revoked or expired key, and for the one of GATEHOUSE_ADMIN_KEY.",
  access: administerGateway,
  output: object({ ...adminKey.shape.properties, key: string() }),
  async run(asked, { initiator }, context: AdminContext) {
    const plaintext = mintAdminKey().reveal();
    const rotation = { hash: hashToken(plaintext), now: new Date(context.wallNow()) };
    return { ...adminKey.encode(await context.adminKeys.rotate(asked, rotation, initiator)), key: plaintext };
  },
});

const revoke = adminKeys.one({
  name: "svc_revoke_admin_key",
  description:
    "Makes an admin key stop working at once, and ends its console sessions. Repeating it changes nothing. Refused for the last owner, " +
    "and for the key of GATEHOUSE_ADMIN_KEY.",
  access: administerGateway,
  run: async (asked, { initiator }, context: AdminContext) => await context.adminKeys.revoke(asked, initiator),
});

/** Operations on admin keys; a key's text is shown once, when it is made. */
export const adminKeyOperations = [create, list, rotate, revoke] as const;

function toUuid(text: string): string {
  const uuid = parseUuid(text);
  if (uuid === undefined) throw projectNotFound(text);
  return uuid;
}
