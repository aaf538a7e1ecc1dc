import type { SetProviderEnabledRequest, SetProviderEnabledResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { setProviderEnabled } from "../store/providers.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { toProviderMessage } from "./messages.ts";

export async function handleSetProviderEnabled(
  { store }: AdminContext,
  request: SetProviderEnabledRequest,
  { metadata }: CallContext,
): Promise<SetProviderEnabledResponse> {
  return { provider: toProviderMessage(await setProviderEnabled(askedFor(store, metadata), request)) };
}
