import { encodeCredential } from "../clients/chat-encoding.ts";
import { defineOperation } from "./operation.ts";
import { credentialId, requireCredentialId } from "./provider-arguments.ts";

export const deleteCredential = defineOperation({
  name: "svc_delete_credential",
  description: "Deletes a credential.",
  arguments: { credential_id: credentialId },
  async run(args, { chat, caller }) {
    const credentialId = requireCredentialId(args.credential_id);
    const { credential } = await chat.deleteCredential({ credentialId }, caller.optionsFor(null));
    return { ...encodeCredential(credential), deleted: true };
  },
});
