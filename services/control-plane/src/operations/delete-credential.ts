import { encodeCredential } from "../clients/chat-encoding.ts";
import { defineOperation } from "./operation.ts";
import { credentialId, requireCredentialId } from "./provider-arguments.ts";

export const deleteCredential = defineOperation({
  name: "svc_delete_credential",
  description: "Deletes a credential.",
  arguments: { credential_id: credentialId },
  async run(args, { chat }) {
    const credentialId = requireCredentialId(args.credential_id);
    return { ...encodeCredential((await chat.deleteCredential({ credentialId })).credential), deleted: true };
  },
});
