import type { OwnSubject } from "./operation.ts";
import { tokenId } from "./shared-arguments.ts";

/** A token by its id lies in its project. */
export const tokenSubject: OwnSubject = {
  argument: "token_id",
  findProject: async (value, { tokens }) => (await tokens.get(tokenId.read(value, "token_id"))).projectUuid,
};
