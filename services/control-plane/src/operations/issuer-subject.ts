import { issuerId } from "./issuer-arguments.ts";
import type { OwnSubject } from "./operation.ts";

/** An issuer, whose project it is. */
export const issuerSubject: OwnSubject = {
  argument: "issuer_id",
  findProject: async (value, { issuers }) => (await issuers.get(issuerId.read(value, "issuer_id"))).projectUuid,
};
