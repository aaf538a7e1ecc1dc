import {
  defineCollection,
  defineOperation,
  object,
  project,
  readProject,
  rowKey,
  string,
  writeProject,
} from "@gatehouse/admin";
import { hashToken, mintToken, wholeReach } from "@gatehouse/principal";
import {
  type AccessToken,
  type TokenChange,
  type TokenSettings,
  findUpdateProblem,
  readReach,
  token,
} from "../domain/access-token.ts";
import { type AdminContext, inProject } from "./admin-context.ts";

const tokens = defineCollection({
  list: "tokens",
  key: rowKey("Token", "token_id"),
  findProject: async (id, context: AdminContext) => (await context.tokens.get(id)).projectUuid,
  shape: token.shape,
  show: (row: AccessToken) => token.encode(row),
});

/** Accepts a past expiry, so that an old document can still be applied; such a token is refused like a revoked one. */
const create = defineOperation({
  name: "svc_create_token",
  description: "Creates an access token of a project. The reply holds its plaintext, which cannot be read again.",
  access: writeProject,
  takesIdempotencyKey: true,
  input: object({ project, ...token.createInput }),
  output: object({ ...token.shape.properties, token: string() }),
  prepare: async ({ input }) => await Promise.resolve({ reach: readReach(input, wholeReach) }),
  async run({ input, initiator, prepared: { reach } }, context: AdminContext) {
    const owner = await context.projects.get(input.project);
    const settings = { ...token.toNewColumns(input), ...reach } as TokenSettings;
    const plaintext = mintToken(settings.environment).reveal();
    const wanted = { settings, hash: hashToken(plaintext) };
    const made = await context.tokens.create(owner, wanted, inProject(initiator, owner));
    return { ...token.encode(made), token: plaintext };
  },
});

const list = tokens.list({
  name: "svc_list_tokens",
  description: "Lists a project's tokens, revoked ones included, oldest first. Plaintexts are not kept.",
  access: readProject,
  input: { project },
  find: async ({ input }, page, context: AdminContext) =>
    await context.tokens.list(await context.projects.get(input.project), page),
});

const get = tokens.one({
  name: "svc_get_token",
  description:
    "Shows one token, such as the one that a log or an audit entry names, revoked or not. Its plaintext is not kept.",
  access: readProject,
  run: async (id, _call, context: AdminContext) => await context.tokens.get(id),
});

const update = tokens.one({
  name: "svc_update_token",
  description:
    "Changes a token's name, limits, expiry or reach; what is not named stays, and so does its plaintext. Another expiry makes an " +
    "expired token work again. Refused for a revoked token.",
  access: writeProject,
  input: token.updateInput,
  async prepare(id, { input }, context: AdminContext) {
    const present = await context.tokens.get(id);
    const problem = findUpdateProblem(present);
    if (problem !== undefined) throw problem;
    readReach(input, present);
  },
  async run(id, { input, initiator }, context) {
    const decide = (present: AccessToken) => {
      const given = { ...input, ...readReach(input, present) };
      const change = { settings: token.toColumns(given), changed: token.changedFields(present, given) };
      return change as unknown as TokenChange;
    };
    return await context.tokens.update(id, decide, initiator);
  },
});

const rotate = tokens.about({
  name: "svc_rotate_token",
  description:
    "Gives a token a new plaintext under the same id; the old one stops working at once. Refused for a revoked or expired token.",
  access: writeProject,
  takesIdempotencyKey: true,
  output: object({ ...token.shape.properties, token: string() }),
  async run(id, { initiator }, context: AdminContext) {
    const { environment } = await context.tokens.get(id);
    const plaintext = mintToken(environment).reveal();
    const rotated = await context.tokens.rotate(
      id,
      { hash: hashToken(plaintext), now: new Date(context.wallNow()) },
      initiator,
    );
    return { ...token.encode(rotated), token: plaintext };
  },
});

const revoke = tokens.one({
  name: "svc_revoke_token",
  description: "Revokes a token at once and permanently. Repeating it changes nothing.",
  access: writeProject,
  run: async (id, { initiator }, context: AdminContext) => await context.tokens.revoke(id, initiator),
});

const remove = tokens.remove({
  name: "svc_delete_token",
  description: "Deletes a token. It stops working at once and is no longer listed.",
  access: writeProject,
  run: async (id, { initiator }, context: AdminContext) => await context.tokens.delete(id, initiator),
});

/** Operations on access tokens. Only a creation and a rotation return a plaintext. */
export const tokenOperations = [create, list, get, update, rotate, revoke, remove] as const;
