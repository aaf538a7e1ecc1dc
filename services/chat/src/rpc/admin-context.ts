import { readOrigin } from "@gatehouse/audit";
import type { CallContext } from "@gatehouse/rpc";
import type { Keyring } from "@gatehouse/vault";
import type { Allowances } from "../store/allowances.ts";
import type { CheckText } from "../domain/schema/check-value.ts";
import type { ProviderHealth } from "../domain/health/provider-health.ts";
import type { ChatStoreContext, ChatWriteContext } from "../store/chat-store.ts";

/** What the administrative methods work with. */
export interface AdminContext {
  readonly store: ChatStoreContext;
  readonly keyring: Keyring;
  readonly allowances: Pick<Allowances, "getUsage">;
  readonly checkText: CheckText;
  readonly health: Pick<ProviderHealth, "reports">;
  /** Milliseconds of the health's clock. */
  readonly now: () => number;
}

/** The store for a change, with who asks for it. */
export function askedFor(store: ChatStoreContext, metadata: CallContext["metadata"]): ChatWriteContext {
  return { ...store, origin: readOrigin(metadata) };
}
