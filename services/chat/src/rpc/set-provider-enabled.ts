import type { SetProviderEnabledRequest, SetProviderEnabledResponse } from "@gatehouse/proto/chat";
import { setProviderEnabled } from "../store/providers.ts";
import type { AdminContext } from "./admin-context.ts";
import { toProviderMessage } from "./messages.ts";

export async function handleSetProviderEnabled(
  { store }: AdminContext,
  request: SetProviderEnabledRequest,
): Promise<SetProviderEnabledResponse> {
  return { provider: toProviderMessage(await setProviderEnabled(store, request)) };
}
