import { recordEvent } from "@gatehouse/audit";
import { hashToken, mintAdminKey } from "@gatehouse/principal";
import type { Secret } from "@gatehouse/vault";
import { adminKeyCreated, adminKeyRevoked } from "../events.ts";
import { endSessionsOf } from "./console-sessions.ts";
import type { Announce, Transaction, Transactor } from "./transactor.ts";

/** The name of the key that an operator sets in the environment. */
export const environmentKeyName = "environment";
/** The name of the key that the service makes for itself. */
export const initialKeyName = "initial";

/** Any constant: replicas that start together settle the keys one after the other. */
const settleLockId = 5_116_201;

/**
 * Makes the stored keys agree with the environment at start-up, and sees to it that somebody can administer the gateway:
 * - the environment's key is stored as `environment`; a changed value replaces the old one, an absent one switches it off;
 * - where no key is active after that, as on the very first start, one named `initial` is minted.
 * @param onMinted receives the minted key's plaintext, which cannot be read again, before it is stored: where it throws, no key
 * is made.
 */
export async function settleAdminKeys(
  transact: Transactor,
  environmentKey: Secret | undefined,
  onMinted: (key: Secret) => void,
): Promise<void> {
  await transact(async (tx, announce) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${settleLockId})`;
    if (environmentKey === undefined) await deactivate(tx, announce);
    else await activate(tx, announce, { name: environmentKeyName, key: environmentKey });
    if ((await tx.adminKey.count({ where: { isActive: true } })) > 0) return;
    const minted = mintAdminKey();
    await activate(tx, announce, { name: initialKeyName, key: minted });
    onMinted(minted);
  });
}

async function activate(
  tx: Transaction,
  announce: Announce,
  { name, key }: { readonly name: string; readonly key: Secret },
): Promise<void> {
  const keyHash = new Uint8Array(hashToken(key.reveal()));
  const existing = await tx.adminKey.findUnique({ where: { name } });
  if (existing?.isActive === true && Buffer.from(existing.keyHash).equals(keyHash)) return;
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
