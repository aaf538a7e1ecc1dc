import { floorProblem } from "@gatehouse/egress";
import type { CreateProviderRequest, CreateProviderResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { checkProvider } from "../domain/provider-rules.ts";
import { createProvider } from "../store/providers.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { toProviderMessage } from "./messages.ts";

export async function handleCreateProvider(
  { store }: AdminContext,
  request: CreateProviderRequest,
  { metadata }: CallContext,
): Promise<CreateProviderResponse> {
  const provider = await createProvider(askedFor(store, metadata), checkProvider(request, floorProblem));
  return { provider: toProviderMessage(provider) };
}
