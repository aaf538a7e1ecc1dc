import { administerGateway, defineCollection, defineOperation, object, rowKey, string, toDate } from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import { hashToken, mintAdminKey } from "@gatehouse/principal";
import { type AdminKey, type AdminKeySettings, adminKey } from "../domain/admin-key.ts";
import type { AdminContext } from "./admin-context.ts";

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
  takesIdempotencyKey: true,
  input: object(adminKey.createInput),
  output: object({ ...adminKey.shape.properties, key: string() }),
  async run({ input, initiator }, context: AdminContext) {
    const expiry = (input.expires_at ?? null) === null ? null : toDate(input.expires_at ?? "");
    if (expiry !== null && expiry <= new Date(context.wallNow())) {
      throw invalidArgument("expires_at must lie in the future");
    }
    const settings = adminKey.toNewColumns(input) as unknown as AdminKeySettings;
    const plaintext = mintAdminKey().reveal();
    const made = await context.adminKeys.create({ settings, hash: hashToken(plaintext) }, initiator);
    return { ...adminKey.encode(made), key: plaintext };
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
  takesIdempotencyKey: true,
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

/** Operations on admin keys, for owners of the whole gateway. Only a creation and a rotation return a plaintext. */
export const adminKeyOperations = [create, list, rotate, revoke] as const;
