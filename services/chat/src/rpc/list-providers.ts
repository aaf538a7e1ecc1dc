import type { ListProvidersRequest, ListProvidersResponse } from "@gatehouse/proto/chat";
import { listProviders } from "../store/providers.ts";
import type { AdminContext } from "./admin-context.ts";
import { toPageRequest, toProviderMessage } from "./messages.ts";

export async function handleListProviders(
  { store }: AdminContext,
  request: ListProvidersRequest,
): Promise<ListProvidersResponse> {
  const { items, nextCursor = "" } = await listProviders(store, toPageRequest(request.page));
  return { providers: items.map(toProviderMessage), nextCursor };
}
