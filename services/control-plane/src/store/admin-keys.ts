import { recordEvent } from "@gatehouse/audit";
import { hashToken, mintAdminKey } from "@gatehouse/principal";
import type { Secret } from "@gatehouse/vault";
import { adminKeyCreated, adminKeyRevoked } from "../events.ts";
import { environmentKeyName, initialKeyName } from "../domain/admin-key.ts";
import { lockAdminKeys } from "./admin-key-lock.ts";
import { endSessionsOf } from "./console-sessions.ts";
import type { Announce, Transaction, Transactor } from "./transactor.ts";

/** The environment's admin key and whether it is enabled. */
export interface EnvironmentKey {
  readonly key: Secret | undefined;
  /** False switches it off, once another owner exists. */
  readonly isEnabled: boolean;
}

/**
 * Makes the stored keys agree with the environment at start-up, and sees to it that somebody can administer the gateway:
 * - the environment's key is stored as `environment`; a changed value replaces the old one, an absent one switches it off;
 * - where no owner of the whole gateway is left after that whose key lasts, as on the very first start, a key named `initial` is
 *   minted.
 * @throws Error where the environment's key is switched off and there is no such owner.
 * @param onMinted receives the minted key's plaintext, which cannot be read again, before it is stored: where it throws, no key
 * is made.
 */
export async function settleAdminKeys(
  transact: Transactor,
  { key, isEnabled }: EnvironmentKey,
  onMinted: (key: Secret) => void,
): Promise<void> {
  await transact(async (tx, announce) => {
    await lockAdminKeys(tx);
    if (key === undefined || !isEnabled) await deactivate(tx, announce);
    else await activate(tx, announce, { name: environmentKeyName, key });
    if ((await tx.adminKey.count({ where: lastingOwner })) > 0) return;
    if (!isEnabled) throw new Error(noOtherOwner);
    const minted = mintAdminKey();
    await activate(tx, announce, { name: initialKeyName, key: minted });
    onMinted(minted);
  });
}

/** Owners of the whole gateway whose keys last. People are none: they are owners as long as their identity provider says so. */
export const lastingOwner = {
  isActive: true,
  role: "owner",
  gatewayWide: true,
  expiresAt: null,
  keyHash: { not: null },
} as const;

const noOtherOwner =
  "GATEHOUSE_ADMIN_KEY_ENABLED is false and no other owner exists: nobody could administer the gateway. Start with it true, " +
  "create an admin key with the role owner for the whole gateway and without an end, then set it to false.";

async function activate(
  tx: Transaction,
  announce: Announce,
  { name, key }: { readonly name: string; readonly key: Secret },
): Promise<void> {
  const keyHash = new Uint8Array(hashToken(key.reveal()));
  const existing = await tx.adminKey.findUnique({ where: { name } });
  if (existing?.isActive === true && Buffer.from(existing.keyHash ?? []).equals(keyHash)) return;
  if (existing?.isActive === true) await recordEvent(tx, adminKeyRevoked(existing));
  const { id } = await tx.adminKey.upsert({
    where: { name },
    create: { name, keyHash },
    update: { keyHash, isActive: true },
  });
  await endSessionsOf(tx, id);
  await recordEvent(tx, adminKeyCreated({ id, name }));
  await announce({ kind: "admin_key", adminKeyId: id });
}

async function deactivate(tx: Transaction, announce: Announce): Promise<void> {
  const where = { name: environmentKeyName, isActive: true };
  const keys = await tx.adminKey.updateManyAndReturn({ where, data: { isActive: false } });
  for (const key of keys) {
    await endSessionsOf(tx, key.id);
    await recordEvent(tx, adminKeyRevoked(key));
    await announce({ kind: "admin_key", adminKeyId: key.id });
  }
}
