import type { DeleteCredentialRequest, DeleteCredentialResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { deleteCredential } from "../store/credentials.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { toCredentialMessage } from "./messages.ts";

export async function handleDeleteCredential(
  { store }: AdminContext,
  request: DeleteCredentialRequest,
  { metadata }: CallContext,
): Promise<DeleteCredentialResponse> {
  return { credential: toCredentialMessage(await deleteCredential(askedFor(store, metadata), request.credentialId)) };
}
