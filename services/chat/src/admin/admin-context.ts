import type { AuditInitiator } from "@gatehouse/audit";
import type { CheckText } from "@gatehouse/json-schema";
import type { Allowances } from "@gatehouse/limits";
import type { ProviderAdapter, ProviderHealth, ProviderKind } from "@gatehouse/providers";
import type { CountTexts } from "@gatehouse/tokens";
import type { Keyring } from "@gatehouse/vault";
import type { ChatStore, ChatWriteContext } from "../store/chat-store.ts";

/** Last argument of every `prepare` and `run` of chat's operations; built once, in `createChatService`. */
export interface AdminContext {
  readonly store: ChatStore;
  readonly keyring: Keyring;
  readonly allowances: Pick<Allowances, "getUsage" | "getUserUsage">;
  readonly checkText: CheckText;
  /** Compiles schemas that are not saved; `checkText` those that are. */
  readonly checkDraft: CheckText;
  readonly countTexts: CountTexts;
  /** Adapters that calls use, with their connections. */
  readonly adapterFor: (kind: ProviderKind) => ProviderAdapter;
  readonly health: Pick<ProviderHealth, "reports">;
  /** Milliseconds of the clock that provider health uses. */
  readonly now: () => number;
}

/** The store for a change by an initiator. */
export function writing({ store }: AdminContext, initiator: AuditInitiator): ChatWriteContext {
  return { ...store, initiator };
}
