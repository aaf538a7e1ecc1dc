import { hashToken, mintToken } from "@gatehouse/principal";
import { encodeToken } from "./encoding.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { tokenId } from "./shared-arguments.ts";
import { tokenSubject } from "./token-subject.ts";

export const rotateToken = defineOperation({
  name: "svc_rotate_token",
  description:
    "Gives a token a new plaintext under the same id; the old one stops working at once. Refused for a revoked or expired token.",
  access: writeProject,
  subject: tokenSubject,
  arguments: { token_id: tokenId },
  async run(args, { tokens, caller, now }) {
    const { environment } = await tokens.get(args.token_id);
    const plaintext = mintToken(environment).reveal();
    const rotation = { hash: hashToken(plaintext), now: now() };
    const token = await tokens.rotate(args.token_id, rotation, caller.originFor(null));
    return { ...encodeToken(token), token: plaintext };
  },
});
