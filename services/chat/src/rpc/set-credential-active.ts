import type { SetCredentialActiveRequest, SetCredentialActiveResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { setCredentialActive } from "../store/credentials.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { toCredentialMessage } from "./messages.ts";

export async function handleSetCredentialActive(
  { store }: AdminContext,
  request: SetCredentialActiveRequest,
  { metadata }: CallContext,
): Promise<SetCredentialActiveResponse> {
  const { credentialId: id, isActive } = request;
  return { credential: toCredentialMessage(await setCredentialActive(askedFor(store, metadata), { id, isActive })) };
}
