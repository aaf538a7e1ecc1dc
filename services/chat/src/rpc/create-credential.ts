import type { CreateCredentialRequest, CreateCredentialResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { Secret } from "@gatehouse/vault";
import { checkCredential } from "../domain/provider-rules.ts";
import { createCredential } from "../store/credentials.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { toCredentialMessage } from "./messages.ts";

export async function handleCreateCredential(
  { store, keyring }: AdminContext,
  request: CreateCredentialRequest,
  { metadata }: CallContext,
): Promise<CreateCredentialResponse> {
  const { provider, name, apiKey } = request;
  checkCredential({ name, apiKey });
  const credential = await createCredential(askedFor(store, metadata), keyring, {
    provider,
    name,
    apiKey: new Secret(apiKey),
  });
  return { credential: toCredentialMessage(credential) };
}
