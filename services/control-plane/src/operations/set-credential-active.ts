import { encodeCredential } from "../clients/chat-encoding.ts";
import { flag } from "../domain/arguments.ts";
import { defineOperation } from "./operation.ts";
import { credentialId, requireCredentialId } from "./provider-arguments.ts";

export const setCredentialActive = defineOperation({
  name: "svc_set_credential_active",
  description: "Switches a credential on or off.",
  arguments: { credential_id: credentialId, is_active: flag("Whether calls may use it.") },
  async run(args, { chat, caller }) {
    const credentialId = requireCredentialId(args.credential_id);
    const change = { credentialId, isActive: args.is_active };
    return encodeCredential((await chat.setCredentialActive(change, caller.optionsFor(null))).credential);
  },
});
