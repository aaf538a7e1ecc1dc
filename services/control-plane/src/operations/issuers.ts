import { readProject, writeProject } from "../domain/access.ts";
import { flag, nullable, optional, withDefault } from "../domain/arguments.ts";
import { warningOf } from "./create-issuer.ts";
import { encodeIssuer, encodePage, encodeSubject } from "./encoding.ts";
import { issuerSubject } from "./issuer-subject.ts";
import { audience, issuerId, issuerUrl, jwksUrl, scopeClaim, scopesArgument, subject } from "./issuer-arguments.ts";
import { defineOperation } from "./operation.ts";
import { page, project, rateLimits, toPageRequest } from "./shared-arguments.ts";

export const listIssuers = defineOperation({
  name: "svc_list_issuers",
  description: "Lists the identity providers that a project trusts, oldest first.",
  access: readProject,
  arguments: { project, ...page },
  async run(args, { projects, issuers }) {
    const owner = await projects.get(args.project);
    return encodePage("issuers", await issuers.list(owner, toPageRequest(args)), encodeIssuer);
  },
});

export const updateIssuer = defineOperation({
  name: "svc_update_issuer",
  description: "Changes an issuer; what is not named stays. It holds for tokens that are out already.",
  access: writeProject,
  subject: issuerSubject,
  arguments: {
    issuer_id: issuerId,
    issuer: optional(issuerUrl),
    audience: optional(audience),
    scopes: optional(scopesArgument),
    scope_claim: nullable(scopeClaim),
    jwks_url: nullable(jwksUrl),
    ...rateLimits,
  },
  async run(args, { issuers, issuerKeys, caller }) {
    const changes = {
      issuer: args.issuer,
      audience: args.audience,
      scopes: args.scopes,
      scopeClaim: args.scope_claim,
      jwksUrl: args.jwks_url,
      perMinute: args.rate_limit_per_minute,
      perHour: args.rate_limit_per_hour,
    };
    const changed = await issuers.update(args.issuer_id, changes, caller.originFor(null));
    return { ...encodeIssuer(changed), warning: await warningOf(changed, issuerKeys) };
  },
});

export const deleteIssuer = defineOperation({
  name: "svc_delete_issuer",
  description: "Ends the trust in an issuer: its tokens stop working at once. What is known of its subjects goes too.",
  access: writeProject,
  subject: issuerSubject,
  arguments: { issuer_id: issuerId },
  async run(args, { issuers, caller }) {
    return { ...encodeIssuer(await issuers.delete(args.issuer_id, caller.originFor(null))), deleted: true };
  },
});

export const listSubjects = defineOperation({
  name: "svc_list_subjects",
  description:
    "Lists the subjects whose tokens an issuer has signed, oldest first: each is a token without a plaintext, which svc_update_token " +
    "gives limits and a reach of its own. Deleting it (svc_delete_token) forgets it, a revocation included.",
  access: readProject,
  subject: issuerSubject,
  arguments: { issuer_id: issuerId, revoked: withDefault(flag("Only those that are revoked."), false), ...page },
  async run(args, { issuers, tokens }) {
    const { id } = await issuers.get(args.issuer_id);
    const listed = await tokens.listSubjects({ issuerId: id, isRevoked: args.revoked }, toPageRequest(args));
    return encodePage("subjects", listed, encodeSubject);
  },
});

export const revokeSubject = defineOperation({
  name: "svc_revoke_subject",
  description:
    "Refuses every token of one subject of an issuer from now on, whether it has called before or not. Repeatable.",
  access: writeProject,
  subject: issuerSubject,
  arguments: { issuer_id: issuerId, subject },
  async run(args, { issuers, tokens, caller }) {
    const issuer = await issuers.get(args.issuer_id);
    return encodeSubject(await tokens.revokeSubject(issuer, args.subject, caller.originFor(null)));
  },
});
