import type { PageRequest, PageResult } from "@gatehouse/database";
import type { ChatAdminServiceDefinition, Page } from "@gatehouse/proto/chat";
import type { RpcClient } from "@gatehouse/rpc";

/** The chat service's administration, in this process or another. */
export type ChatAdminClient = RpcClient<typeof ChatAdminServiceDefinition>;

export function toPageMessage({ limit = 0, cursor = "" }: PageRequest): Page {
  return { limit, cursor };
}

export function toPageResult<T>(items: readonly T[], nextCursor: string): PageResult<T> {
  return nextCursor === "" ? { items } : { items, nextCursor };
}
