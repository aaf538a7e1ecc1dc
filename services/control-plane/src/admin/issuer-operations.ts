import {
  boolean,
  defineCollection,
  defineOperation,
  encodePage,
  nullable,
  number,
  object,
  optional,
  page,
  pageOf,
  project,
  readProject,
  refined,
  rowKey,
  string,
  timestamp,
  toDate,
  toPageRequest,
  withDefault,
  withMessages,
  writeProject,
} from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import { type AccessToken, token } from "../domain/access-token.ts";
import { type Issuer, type IssuerSettings, issuer } from "../domain/issuer.ts";
import { isSubject, subjectLengthMax } from "../domain/jwt-claims.ts";
import { type AdminContext, inProject } from "./admin-context.ts";

const subjectProblem = `must be a string of 1 to ${subjectLengthMax} characters without control characters`;
const subject = refined(
  withMessages(string({ description: "As its tokens name it (sub).", lengthMax: subjectLengthMax }), {
    type: subjectProblem,
    minLength: subjectProblem,
    maxLength: subjectProblem,
    pattern: subjectProblem,
  }),
  (given) => (isSubject(given) ? undefined : subjectProblem),
);

const issuers = defineCollection({
  list: "issuers",
  key: rowKey("Issuer", "issuer_id"),
  findProject: async (asked, context: AdminContext) => (await context.issuers.get(asked)).projectUuid,
  shape: issuer.shape,
  show: (row: Issuer) => issuer.encode(row),
});

const create = defineOperation({
  name: "svc_create_issuer",
  description:
    "Lets a project trust an identity provider: its JWT access tokens are then tokens of the project. Its keys are tried at once; " +
    "where they cannot be had, it is saved with a warning.",
  access: writeProject,
  takesIdempotencyKey: true,
  input: object({ project, ...issuer.createInput }),
  output: object({ ...issuer.shape.properties, warning: nullable(string()) }),
  async prepare({ input, planned }, context: AdminContext) {
    await context.issuers.requireRoom(input.project, { issuer: input.issuer, planned: planned.siblings });
  },
  async run({ input, initiator }, context) {
    const owner = await context.projects.get(input.project);
    const settings = issuer.toNewColumns(input) as unknown as IssuerSettings;
    // Before the transaction, which must not wait for an identity provider.
    const warning = await warningOf(settings, context);
    return { ...issuer.encode(await context.issuers.create(owner, settings, inProject(initiator, owner))), warning };
  },
});

const list = issuers.list({
  name: "svc_list_issuers",
  description: "Lists the identity providers that a project trusts, oldest first.",
  access: readProject,
  input: { project },
  find: async ({ input }, page, context: AdminContext) =>
    await context.issuers.list(await context.projects.get(input.project), page),
});

const update = issuers.about({
  name: "svc_update_issuer",
  description: "Changes an issuer; absent arguments change nothing. The change also applies to issued tokens.",
  access: writeProject,
  input: issuer.updateInput,
  output: object({ ...issuer.shape.properties, warning: nullable(string()) }),
  async run(asked, { input, initiator }, context: AdminContext) {
    const decide = (present: Issuer) => ({
      settings: issuer.toColumns(input) as Partial<IssuerSettings>,
      changed: issuer.changedFields(present, input),
    });
    const saved = await context.issuers.update(asked, decide, initiator);
    return { ...issuer.encode(saved), warning: await warningOf(saved, context) };
  },
});

const remove = issuers.remove({
  name: "svc_delete_issuer",
  description: "Ends the trust in an issuer: its tokens stop working at once. Its subjects are deleted too.",
  access: writeProject,
  run: async (asked, { initiator }, context: AdminContext) => await context.issuers.delete(asked, initiator),
});

/** A token without a plaintext, and its subject. */
const subjectShape = object({
  ...token.shape.properties,
  issuer_id: number(),
  subject: string(),
  revoked_until: nullable(string()),
});

const listSubjects = issuers.about({
  name: "svc_list_subjects",
  description:
    "Lists the subjects whose tokens an issuer has signed, oldest first: each is a token without a plaintext, which svc_update_token " +
    "gives separate limits and a separate reach. Deleting it (svc_delete_token) forgets it, a revocation included.",
  access: readProject,
  input: { revoked: withDefault(boolean("Only those that are revoked."), false), ...page },
  output: pageOf("subjects", subjectShape),
  async run(asked, { input }, context: AdminContext) {
    const { id: issuerId } = await context.issuers.get(asked);
    const filter = { issuerId, isRevoked: input.revoked };
    return encodePage("subjects", await context.tokens.listSubjects(filter, toPageRequest(input)), encodeSubject);
  },
});

const revokeSubject = issuers.about({
  name: "svc_revoke_subject",
  description:
    "Refuses every token of one subject of an issuer from now on, also of a subject that has not called yet: permanently, or until " +
    "the issued tokens have expired. Then the subject is forgotten, and its new tokens work. Can be repeated; the last call applies.",
  access: writeProject,
  input: {
    subject,
    until: optional(
      timestamp("When the tokens that it concerns have expired, e.g. 2027-01-31T12:00:00Z; absent is never."),
    ),
  },
  output: subjectShape,
  async run(asked, { input, initiator }, context: AdminContext) {
    const trusted = await context.issuers.get(asked);
    const until = input.until === undefined ? null : toDate(input.until);
    if (until !== null && until <= new Date(context.wallNow())) {
      throw invalidArgument("until must be in the future");
    }
    await context.tokens.forgetRevoked(new Date(context.wallNow()));
    return encodeSubject(await context.tokens.revokeSubject(trusted, { subject: input.subject, until }, initiator));
  },
});

/** Operations on a project's trusted issuers and their subjects. Changes apply to JWTs that are in use already. */
export const issuerOperations = [create, list, update, remove, listSubjects, revokeSubject] as const;

function encodeSubject(row: AccessToken) {
  const { external, revokedUntil } = row;
  const until = revokedUntil?.toISOString() ?? null;
  return { ...token.encode(row), issuer_id: external?.issuerId, subject: external?.subject, revoked_until: until };
}

/** Why the issuer's keys cannot be fetched now; null where they can. */
async function warningOf(source: Pick<Issuer, "issuer" | "jwksUrl">, { issuerKeys }: AdminContext) {
  const problem = await issuerKeys.problem(source);
  return problem === undefined ? null : `Its keys cannot be fetched now, so its tokens are refused: ${problem}`;
}
