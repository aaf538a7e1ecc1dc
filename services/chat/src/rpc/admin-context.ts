import type { Keyring } from "@gatehouse/vault";
import type { ChatStoreContext } from "../store/chat-store.ts";

/** What the administrative methods work with. */
export interface AdminContext {
  readonly store: ChatStoreContext;
  readonly keyring: Keyring;
}
