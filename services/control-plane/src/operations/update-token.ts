import type { TokenReach } from "@gatehouse/principal";
import { nullable, optional } from "../domain/arguments.ts";
import { timestamp } from "../domain/timestamp.ts";
import { encodeToken } from "./encoding.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { reachArguments, readReach } from "./reach-arguments.ts";
import { name, rateLimits, tokenId } from "./shared-arguments.ts";
import { tokenSubject } from "./token-subject.ts";

export const updateToken = defineOperation({
  name: "svc_update_token",
  description:
    "Changes a token's name, limits, expiry or reach; what is not named stays, and so does its plaintext. Another expiry makes an " +
    "expired token work again. Refused for a revoked token.",
  access: writeProject,
  subject: tokenSubject,
  arguments: {
    token_id: tokenId,
    name: optional(name),
    expires_at: nullable(timestamp("When it stops working, e.g. 2027-01-31T12:00:00Z; null is never.")),
    ...rateLimits,
    ...reachArguments,
  },
  async run(args, { tokens, caller }) {
    const changes = {
      name: args.name,
      perMinute: args.rate_limit_per_minute,
      perHour: args.rate_limit_per_hour,
      expiresAt: args.expires_at,
      reach: (present: TokenReach) => readReach(args, present),
    };
    return encodeToken(await tokens.update(args.token_id, changes, caller.originFor(null)));
  },
});
