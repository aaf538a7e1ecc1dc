import { hashToken, mintToken, wholeReach } from "@gatehouse/principal";
import { nullable, oneOf, withDefault } from "../domain/arguments.ts";
import { timestamp } from "../domain/timestamp.ts";
import { scopesArgument } from "./issuer-arguments.ts";
import { encodeToken } from "./encoding.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { reachArguments, readReach } from "./reach-arguments.ts";
import { name, project, rateLimits } from "./shared-arguments.ts";

export const createToken = defineOperation({
  name: "svc_create_token",
  description: "Creates an access token of a project. The reply holds its plaintext, which cannot be read again.",
  access: writeProject,
  arguments: {
    project,
    name,
    scopes: scopesArgument,
    environment: withDefault(oneOf("The token's prefix: svc_live_ or svc_test_.", ["live", "test"]), "live"),
    expires_at: nullable(timestamp("When it stops working, e.g. 2027-01-31T12:00:00Z; null is never.")),
    ...rateLimits,
    ...reachArguments,
  },
  // A time that has passed is taken too: such a token answers as a revoked one, and an old document can still be applied.
  async run(args, { projects, tokens, caller }) {
    const expiresAt = args.expires_at ?? null;
    const owner = await projects.get(args.project);
    const plaintext = mintToken(args.environment).reveal();
    const wanted = {
      name: args.name,
      environment: args.environment,
      scopes: args.scopes,
      rateLimits: { perMinute: args.rate_limit_per_minute ?? null, perHour: args.rate_limit_per_hour ?? null },
      reach: readReach(args, wholeReach),
      expiresAt,
      hash: hashToken(plaintext),
    };
    const token = await tokens.create(owner, wanted, caller.originFor(owner));
    return { ...encodeToken(token), token: plaintext };
  },
});
