import { type Keyring, missingKeyRemedy, seal, Secret, unseal } from "@gatehouse/vault";
import { answered, probeTimeoutMs } from "./answered.ts";
import type { Database } from "./database.ts";
import { isDatabaseUnavailable } from "./errors.ts";
import type { SharedMigration } from "./migrations.ts";
import type { SealedColumn } from "./resealer.ts";

/** A table with one sealed value, which shows whether a process has this installation's keyring. */
export const keyringProbeMigration: SharedMigration = {
  name: "20261122090000_keyring_probe",
  sql: `-- One value, sealed when the service first starts: a process that cannot open it has another keyring.
-- CreateTable
CREATE TABLE "keyring_probe" (
    "uuid" UUID NOT NULL,
    "sealed" TEXT NOT NULL,

    CONSTRAINT "keyring_probe_pkey" PRIMARY KEY ("uuid")
);
`,
};

const probeUuid = "00000000-0000-4000-8000-000000000000";

/** The probe's column, so that it is resealed together with the secrets. */
export function keyringProbeColumn(schema: string): SealedColumn {
  return { table: "keyring_probe", column: "sealed", placeOf: (uuid) => `${schema}.keyring_probe/${uuid}` };
}

/** Stores the probe at a service's first start. An existing probe stays unchanged, so that another keyring is noticed. */
export async function sealKeyringProbe({ pool, schema }: Database, keyring: Keyring): Promise<void> {
  const sealed = seal(keyring, new Secret("gatehouse"), keyringProbeColumn(schema).placeOf(probeUuid));
  await pool.query("INSERT INTO keyring_probe (uuid, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
    probeUuid,
    sealed,
  ]);
}

/**
 * Reason why the keyring does not open this installation's secrets, with the id of the missing key; undefined where it does, and
 * where the database does not answer.
 */
export async function findKeyringProblem({ pool, schema }: Database, keyring: Keyring): Promise<string | undefined> {
  const sealed = await readProbe(pool);
  if (sealed === undefined) return undefined;
  try {
    unseal(keyring, sealed, keyringProbeColumn(schema).placeOf(probeUuid));
    return undefined;
  } catch {
    const id = sealed.split(".")[1] ?? "";
    const problem = keyring.keys.has(id)
      ? `the keyring's key "${id}" is not the one that sealed this installation's secrets`
      : `the keyring lacks the key "${id}", which sealed this installation's secrets`;
    return `${problem}: ${missingKeyRemedy(keyring)}`;
  }
}

async function readProbe(pool: Database["pool"]): Promise<string | undefined> {
  try {
    const { rows } = await answered(
      async () => await pool.query<{ sealed: string }>("SELECT sealed FROM keyring_probe WHERE uuid = $1", [probeUuid]),
      { timeoutMs: probeTimeoutMs },
    );
    return rows[0]?.sealed;
  } catch (err) {
    if (isDatabaseUnavailable(err)) return undefined;
    throw err;
  }
}
