import type { SetCredentialActiveRequest, SetCredentialActiveResponse } from "@gatehouse/proto/chat";
import { setCredentialActive } from "../store/credentials.ts";
import type { AdminContext } from "./admin-context.ts";
import { toCredentialMessage } from "./messages.ts";

export async function handleSetCredentialActive(
  { store }: AdminContext,
  request: SetCredentialActiveRequest,
): Promise<SetCredentialActiveResponse> {
  const { credentialId: id, isActive } = request;
  return { credential: toCredentialMessage(await setCredentialActive(store, { id, isActive })) };
}
