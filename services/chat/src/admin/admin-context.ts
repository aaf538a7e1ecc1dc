import type { AuditInitiator } from "@gatehouse/audit";
import type { CheckText } from "@gatehouse/json-schema";
import type { Allowances } from "@gatehouse/limits";
import type { ProviderAdapter, ProviderHealth, ProviderKind } from "@gatehouse/providers";
import type { CountTexts } from "@gatehouse/tokens";
import type { Keyring } from "@gatehouse/vault";
import type { ChatStore, ChatWriteContext } from "../store/chat-store.ts";

/** Context of administrative operations. */
export interface AdminContext {
  readonly store: ChatStore;
  readonly keyring: Keyring;
  readonly allowances: Pick<Allowances, "getUsage" | "getUserUsage">;
  readonly checkText: CheckText;
  /** Checks schemas that are tried and not saved; `checkText` those that are saved. */
  readonly checkDraft: CheckText;
  readonly countTexts: CountTexts;
  /** The adapters of calls, with their connections. */
  readonly adapterFor: (kind: ProviderKind) => ProviderAdapter;
  readonly health: Pick<ProviderHealth, "reports">;
  /** Milliseconds of the health's clock. */
  readonly now: () => number;
}

/** The store for a change, with who asks for it. */
export function writing({ store }: AdminContext, initiator: AuditInitiator): ChatWriteContext {
  return { ...store, initiator };
}
