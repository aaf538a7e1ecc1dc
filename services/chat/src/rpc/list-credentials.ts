import type { ListCredentialsRequest, ListCredentialsResponse } from "@gatehouse/proto/chat";
import { listCredentials } from "../store/credentials.ts";
import type { AdminContext } from "./admin-context.ts";
import { toCredentialMessage, toPageRequest } from "./messages.ts";

export async function handleListCredentials(
  { store }: AdminContext,
  request: ListCredentialsRequest,
): Promise<ListCredentialsResponse> {
  const { provider, page } = request;
  const filter = provider === "" ? {} : { provider };
  const { items, nextCursor = "" } = await listCredentials(store, { ...toPageRequest(page), ...filter });
  return { credentials: items.map(toCredentialMessage), nextCursor };
}
