import type { ResolveAdminKeyRequest, ResolveAdminKeyResponse } from "@gatehouse/proto/control-plane";
import type { PrincipalReader } from "../store/principals.ts";

/** `ResolveAdminKey`: the key's identity, or nothing. */
export function createResolveAdminKey(principals: PrincipalReader) {
  return async function resolveAdminKey({ keyHash }: ResolveAdminKeyRequest): Promise<ResolveAdminKeyResponse> {
    const adminKey = await principals.findAdminKey(keyHash);
    return adminKey === undefined ? {} : { adminKey };
  };
}
