import { GatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import { adminRoles, hashToken, mintAdminKey } from "@gatehouse/principal";
import { administerGateway } from "../domain/access.ts";
import type { AdminKey } from "../domain/admin-key.ts";
import { idReference, list, nullable, oneOf } from "../domain/arguments.ts";
import { projectNotFound } from "../domain/project.ts";
import { timestamp } from "../domain/timestamp.ts";
import { parseUuid } from "../domain/uuid.ts";
import { encodePage } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { name, page, project, toPageRequest } from "./shared-arguments.ts";

/** Projects of one administrator. */
const projectsMax = 200;

const adminKeyId = idReference("The admin key's id.");

const projects = list(project, {
  description: "The uuids of the projects that the role is for; null or absent is the whole gateway.",
  min: 1,
  max: projectsMax,
});

export const createAdminKey = defineOperation({
  name: "svc_create_admin_key",
  description:
    "Creates an administrator's key. An owner may do everything, an editor all but what is the owners', a viewer reads; for the whole " +
    "gateway or for named projects. The reply holds its plaintext, which cannot be read again.",
  access: administerGateway,
  arguments: {
    name,
    role: oneOf("What the administrator may do.", adminRoles),
    projects: nullable(projects),
    expires_at: nullable(timestamp("When it stops working, e.g. 2027-01-31T12:00:00Z; null is never.")),
  },
  async run(args, { adminKeys, caller, now }) {
    const expiresAt = args.expires_at ?? null;
    if (expiresAt !== null && expiresAt <= now()) {
      throw new GatewayError("invalid_argument", "expires_at must lie in the future");
    }
    const plaintext = mintAdminKey().reveal();
    const uuids =
      args.projects === undefined || args.projects === null ? null : [...new Set(args.projects.map(toUuid))];
    const wanted = { name: args.name, role: args.role, projects: uuids, expiresAt, hash: hashToken(plaintext) };
    return { ...encodeAdminKey(await adminKeys.create(wanted, caller.originFor(null))), key: plaintext };
  },
});

export const listAdminKeys = defineOperation({
  name: "svc_list_admin_keys",
  description: "Lists admin keys, revoked ones included, oldest first. Plaintexts are not kept.",
  access: administerGateway,
  arguments: page,
  run: async (args, { adminKeys }) =>
    encodePage("admin_keys", await adminKeys.list(toPageRequest(args)), encodeAdminKey),
});

export const rotateAdminKey = defineOperation({
  name: "svc_rotate_admin_key",
  description:
    "Gives an admin key a new plaintext under the same id; the old one stops working at once, and its console sessions end. Refused " +
    "for a revoked or expired key, and for the one of GATEHOUSE_ADMIN_KEY.",
  access: administerGateway,
  arguments: { admin_key_id: adminKeyId },
  async run(args, { adminKeys, caller, now }) {
    const plaintext = mintAdminKey().reveal();
    const rotation = { hash: hashToken(plaintext), now: now() };
    const key = await adminKeys.rotate(args.admin_key_id, rotation, caller.originFor(null));
    return { ...encodeAdminKey(key), key: plaintext };
  },
});

export const revokeAdminKey = defineOperation({
  name: "svc_revoke_admin_key",
  description:
    "Makes an admin key stop working at once, and ends its console sessions. Repeating it changes nothing. Refused for the last owner, " +
    "and for the key of GATEHOUSE_ADMIN_KEY.",
  access: administerGateway,
  arguments: { admin_key_id: adminKeyId },
  run: async (args, { adminKeys, caller }) =>
    encodeAdminKey(await adminKeys.revoke(args.admin_key_id, caller.originFor(null))),
});

function toUuid(text: string): string {
  const uuid = parseUuid(text);
  if (uuid === undefined) throw projectNotFound(text);
  return uuid;
}

function encodeAdminKey(key: AdminKey): JsonObject {
  return {
    id: key.id,
    name: key.name,
    role: key.role,
    projects: key.projects,
    source: key.source,
    is_active: key.isActive,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
  };
}
