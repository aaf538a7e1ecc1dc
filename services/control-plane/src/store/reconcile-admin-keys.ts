import { ConfigError } from "@gatehouse/config";
import { hashToken, mintAdminKey } from "@gatehouse/principal";
import { unchanged, type WriteResult } from "@gatehouse/service";
import type { Secret } from "@gatehouse/vault";
import { environmentKeyName, initialKeyName } from "../domain/admin-key.ts";
import type { PrincipalChange } from "../domain/principal-change.ts";
import { adminKeyCreated, adminKeyRevoked } from "../events.ts";
import { endSessionsOf } from "./console-sessions.ts";
import { lockAdminKeys, type PrincipalStore, type Transaction } from "./principal-store.ts";

/** Settings `GATEHOUSE_ADMIN_KEY` and `GATEHOUSE_ADMIN_KEY_ENABLED`. An absent key disables the stored one. */
export interface EnvironmentKey {
  readonly key: Secret | undefined;
  /** False disables it, once another owner exists. */
  readonly isEnabled: boolean;
}

/**
 * Reconciles the stored keys with the environment at the start, and ensures that a key can administer the gateway:
 * - the environment's key is stored as `environment`; a changed value replaces the old one, an absent one disables it;
 * - where no owner of the whole gateway with a lasting key remains, as on the first start, a key named `initial` is generated.
 * @throws Error where the environment's key is disabled and there is no such owner
 * @param onMinted receives the generated key's plaintext, which cannot be read again, before it is stored: if it throws, no key
 * is created
 */
export async function reconcileAdminKeys(
  store: PrincipalStore,
  { key, isEnabled }: EnvironmentKey,
  onMinted: (key: Secret) => void,
): Promise<void> {
  await store.write(async (tx) => {
    await lockAdminKeys(tx);
    const named = { name: environmentKeyName };
    const settled = key === undefined || !isEnabled ? await deactivate(tx) : await activate(tx, { ...named, key });
    if ((await tx.adminKey.count({ where: lastingOwner })) > 0) return settled;
    if (!isEnabled) throw new ConfigError([noOtherOwner]);
    const mintedKey = mintAdminKey();
    const minted = await activate(tx, { name: initialKeyName, key: mintedKey });
    onMinted(mintedKey);
    return {
      result: undefined,
      changes: [...settled.changes, ...minted.changes],
      events: [...settled.events, ...minted.events],
    };
  });
}

/** Owners of the whole gateway with lasting keys. Excludes people, whose rights depend on their identity provider. */
export const lastingOwner = {
  isActive: true,
  role: "owner",
  gatewayWide: true,
  expiresAt: null,
  keyHash: { not: null },
} as const;

const noOtherOwner =
  "GATEHOUSE_ADMIN_KEY_ENABLED is false and no other owner exists: the gateway could not be administered. Start with it true, " +
  "create an admin key with the role owner for the whole gateway and without an end, then set it to false.";

type KeysWritten = WriteResult<undefined, PrincipalChange>;

async function activate(
  tx: Transaction,
  { name, key }: { readonly name: string; readonly key: Secret },
): Promise<KeysWritten> {
  const keyHash = new Uint8Array(hashToken(key.reveal()));
  const existing = await tx.adminKey.findUnique({ where: { name } });
  const isSame = existing !== null && Buffer.from(existing.keyHash ?? []).equals(keyHash);
  if (isSame && (await tx.adminKey.count({ where: { name, ...lastingOwner } })) === 1) return unchanged(undefined);
  const { id } = await tx.adminKey.upsert({
    where: { name },
    create: { name, keyHash },
    // Earlier versions let administrators create a key of this name with fewer rights.
    update: { keyHash, isActive: true, role: "owner", gatewayWide: true, projectUuids: [], expiresAt: null },
  });
  await endSessionsOf(tx, id);
  const revoked = existing?.isActive === true ? [adminKeyRevoked(existing)] : [];
  return {
    result: undefined,
    changes: [{ kind: "admin_key", adminKeyId: id }],
    events: [...revoked, adminKeyCreated({ id, name })],
  };
}

async function deactivate(tx: Transaction): Promise<KeysWritten> {
  const where = { name: environmentKeyName, isActive: true };
  const keys = await tx.adminKey.updateManyAndReturn({ where, data: { isActive: false } });
  for (const { id } of keys) await endSessionsOf(tx, id);
  return {
    result: undefined,
    changes: keys.map(({ id }) => ({ kind: "admin_key", adminKeyId: id })),
    events: keys.map((key) => adminKeyRevoked(key)),
  };
}
