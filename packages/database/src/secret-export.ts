import type { Logger } from "@gatehouse/telemetry";
import { type Keyring, missingKeyRemedy, sealFor, type Secret, unseal } from "@gatehouse/vault";
import type { Database } from "./database.ts";
import { reading } from "./errors.ts";
import { nilUuid } from "./paging.ts";
import type { SealedColumn, SecretBackup } from "./resealer.ts";

/** One page of a secret export; `nextCursor` is empty on the last page. */
export interface SealedSecrets {
  /** Armored age file of a JSON object, secrets by place; empty where the page has none. */
  readonly sealed: string;
  readonly nextCursor: string;
}

/** @throws GatewayError `invalid_argument` for an invalid recipient, `unavailable` */
export type ExportSecrets = (recipient: string, cursor: string) => Promise<SealedSecrets>;

/** Secrets of one page. The longest has 64 KiB, so that a page fits an RPC message. */
const pageRowsMax = 50;

type ExportedColumn = SealedColumn & { readonly backup: SecretBackup };

interface FoundSecret {
  readonly uuid: string;
  readonly sealed: string;
  readonly place: string;
}

/**
 * Exports stored secrets for a backup, sealed to a recipient as they are read, so that no plaintext leaves the process. Leaves
 * out values that no key opens, and references that are not valid on another gateway; the plan of a restore lists both as
 * missing.
 */
export function createSecretExport(
  database: Pick<Database, "pool">,
  keyring: Keyring,
  columns: readonly SealedColumn[],
  log: Logger,
): ExportSecrets {
  const exported = columns.filter((column): column is ExportedColumn => column.backup !== undefined);

  /** The secret as an administrator would enter it; undefined where it is left out. */
  function textOf({ placeOf, backup }: ExportedColumn, { uuid, sealed, place }: FoundSecret): string | undefined {
    let secret: Secret;
    try {
      secret = unseal(keyring, sealed, placeOf(uuid));
    } catch (err) {
      log.error(
        { err, place },
        `A stored secret does not open with this keyring and is left out of the export: ${missingKeyRemedy(keyring)}.`,
      );
      return undefined;
    }
    if (secret.reference !== undefined) return backup.hasReferences ? secret.reference : undefined;
    return secret.reveal();
  }

  return async (recipient, cursor) => {
    const { index, after } = readCursor(cursor);
    const column = exported[index];
    if (column === undefined) return { sealed: "", nextCursor: "" };
    const sql = `SELECT uuid::text AS uuid, sealed, place FROM (${column.backup.query}) AS found
      WHERE uuid > $1::uuid AND sealed IS NOT NULL ORDER BY uuid LIMIT ${pageRowsMax}`;
    const { rows } = await reading(async () => await database.pool.query<FoundSecret>(sql, [after]));
    const texts = rows.flatMap((row) => {
      const text = textOf(column, row);
      return text === undefined || text === "" ? [] : [[row.place, text] as const];
    });
    const sealed = texts.length === 0 ? "" : await sealFor(recipient, JSON.stringify(Object.fromEntries(texts)));
    const last = rows.length < pageRowsMax ? undefined : rows.at(-1);
    if (last !== undefined) return { sealed, nextCursor: `${index}/${last.uuid}` };
    return { sealed, nextCursor: index + 1 < exported.length ? `${index + 1}/${nilUuid}` : "" };
  };
}

/** Parses `<index of the column>/<uuid of the last row>`; the Control Plane returns the cursor unchanged. */
function readCursor(cursor: string): { readonly index: number; readonly after: string } {
  const [index = "0", after = nilUuid] = cursor === "" ? [] : cursor.split("/");
  return { index: Number(index), after };
}
