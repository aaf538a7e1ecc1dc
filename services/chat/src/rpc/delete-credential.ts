import type { DeleteCredentialRequest, DeleteCredentialResponse } from "@gatehouse/proto/chat";
import { deleteCredential } from "../store/credentials.ts";
import type { AdminContext } from "./admin-context.ts";
import { toCredentialMessage } from "./messages.ts";

export async function handleDeleteCredential(
  { store }: AdminContext,
  request: DeleteCredentialRequest,
): Promise<DeleteCredentialResponse> {
  return { credential: toCredentialMessage(await deleteCredential(store, request.credentialId)) };
}
