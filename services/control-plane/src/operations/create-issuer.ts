import { writeProject } from "../domain/access.ts";
import { nullable } from "../domain/arguments.ts";
import { encodeIssuer } from "./encoding.ts";
import { audience, issuerUrl, jwksUrl, scopeClaim, scopesArgument } from "./issuer-arguments.ts";
import { defineOperation } from "./operation.ts";
import { project, rateLimits } from "./shared-arguments.ts";

export const createIssuer = defineOperation({
  name: "svc_create_issuer",
  description:
    "Lets a project trust an identity provider: its JWT access tokens are then tokens of the project. Its keys are tried at once; " +
    "where they cannot be had, it is saved with a warning.",
  access: writeProject,
  arguments: {
    project,
    issuer: issuerUrl,
    audience,
    scopes: scopesArgument,
    scope_claim: nullable(scopeClaim),
    jwks_url: nullable(jwksUrl),
    ...rateLimits,
  },
  async run(args, { projects, issuers, issuerKeys, caller }) {
    const owner = await projects.get(args.project);
    const wanted = {
      issuer: args.issuer,
      audience: args.audience,
      scopes: args.scopes,
      scopeClaim: args.scope_claim ?? null,
      jwksUrl: args.jwks_url ?? null,
      rateLimits: { perMinute: args.rate_limit_per_minute ?? null, perHour: args.rate_limit_per_hour ?? null },
    };
    const created = await issuers.create(owner, wanted, caller.originFor(owner));
    return { ...encodeIssuer(created), warning: await warningOf(created, issuerKeys) };
  },
});

interface Keys {
  problem(source: { readonly issuer: string; readonly jwksUrl: string | null }): Promise<string | undefined>;
}

/** Why the keys of an issuer cannot be had now; null where they can. */
export async function warningOf(
  source: { readonly issuer: string; readonly jwksUrl: string | null },
  keys: Keys,
): Promise<string | null> {
  const problem = await keys.problem(source);
  return problem === undefined ? null : `Its keys cannot be fetched now, so its tokens are refused: ${problem}`;
}
