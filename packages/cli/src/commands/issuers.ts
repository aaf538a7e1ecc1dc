import type { CommandValue, OperationCommand } from "../command.ts";
import { limits, page, project } from "./shared.ts";

const issuerId: CommandValue = { name: "issuer-id", kind: "integer", description: "The issuer's id." };
const issuer: CommandValue = { name: "issuer", kind: "text", description: "Its URL, as its tokens name it." };
const audience: CommandValue = { name: "audience", kind: "text", description: "What its tokens are for." };
const scope: CommandValue = {
  name: "scope",
  kind: "texts",
  argument: "scopes",
  description: "At most what its tokens may do; repeatable.",
};
const settings: readonly CommandValue[] = [
  { name: "scope-claim", kind: "text", description: "The claim that narrows the scopes." },
  { name: "jwks-url", kind: "text", description: "Where its keys are, without a discovery document." },
  ...limits,
];

export const issuerCommands: readonly OperationCommand[] = [
  {
    path: ["issuer", "create"],
    description: "Lets a project trust an identity provider's tokens.",
    operation: "svc_create_issuer",
    words: [project, issuer, audience],
    options: [{ ...scope, required: true }, ...settings],
  },
  {
    path: ["issuer", "list"],
    description: "Lists the issuers that a project trusts.",
    operation: "svc_list_issuers",
    words: [project],
    options: page,
    table: { list: "issuers", columns: ["id", "issuer", "audience", "scopes", "scope_claim", "jwks_url"] },
  },
  {
    path: ["issuer", "update"],
    description: "Changes an issuer; what is not named stays.",
    operation: "svc_update_issuer",
    words: [issuerId],
    options: [issuer, audience, scope, ...settings],
  },
  {
    path: ["issuer", "delete"],
    description: "Ends the trust in an issuer.",
    operation: "svc_delete_issuer",
    words: [issuerId],
  },
  {
    path: ["issuer", "subjects"],
    description: "Lists whose tokens an issuer has signed.",
    operation: "svc_list_subjects",
    words: [issuerId],
    options: [{ name: "revoked", kind: "flag", description: "Only those that are revoked." }, ...page],
    table: { list: "subjects", columns: ["id", "subject", "is_active", "last_used_at"] },
  },
  {
    path: ["issuer", "revoke-subject"],
    description: "Refuses every token of one subject.",
    operation: "svc_revoke_subject",
    words: [issuerId, { name: "subject", kind: "text", description: "As its tokens name it." }],
  },
];
