import type { CreateProviderRequest, CreateProviderResponse } from "@gatehouse/proto/chat";
import { checkProvider } from "../domain/provider-rules.ts";
import { createProvider } from "../store/providers.ts";
import type { AdminContext } from "./admin-context.ts";
import { toProviderMessage } from "./messages.ts";

export async function handleCreateProvider(
  { store }: AdminContext,
  request: CreateProviderRequest,
): Promise<CreateProviderResponse> {
  const provider = await createProvider(store, checkProvider(request));
  return { provider: toProviderMessage(provider) };
}
