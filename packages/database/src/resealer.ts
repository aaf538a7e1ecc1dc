import type { Telemetry } from "@gatehouse/telemetry";
import { isSealedUnderOldKey, type Keyring, missingKeyRemedy, seal, unseal } from "@gatehouse/vault";
import type { Database } from "./database.ts";
import { inTransaction } from "./in-transaction.ts";
import { nilUuid } from "./paging.ts";
import { countSealed, createSealedMetrics, keyIdIn } from "./sealed-values.ts";

/** A column of sealed values in a table whose rows have a `uuid`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Place that a row's value is bound to (`seal`, `boundTo`). */
  readonly placeOf: (uuid: string) => string;
  /** Query that selects the values for a backup with secrets; absent where no backup includes them. */
  readonly backup?: SecretBackup;
}

/** Selection of sealed values for a backup with secrets. */
export interface SecretBackup {
  /** SQL query for `uuid`, `sealed` and `place`, the value's name in the configuration (`credential/4/api_key`). */
  readonly query: string;
  /** Whether references to external secrets are valid on another gateway too. */
  readonly hasReferences: boolean;
}

/** Reseals values of older keys in the background. */
export interface Resealer {
  /** Runs at once in the background, and then every hour. */
  start(): void;
  stop(): Promise<void>;
  run(): Promise<ResealReport>;
}

/** Result of one run of a {@link Resealer}, in sealed values. */
export interface ResealReport {
  readonly resealed: number;
  /** Values that no key of the keyring opens. They stay unchanged. */
  readonly unopened: number;
}

const intervalMs = 60 * 60_000;
const rowsMax = 100;
/** Values between two progress messages in the log. */
const progressEvery = 1_000;

/**
 * Reseals stored values under the keyring's current key, so that the old key can be removed after a rotation. Resumable, and safe
 * in several processes at once; reports progress by telemetry. The key's id is the second part of a value (`seal`).
 */
export function createResealer(
  database: Database,
  keyring: Keyring,
  columns: readonly SealedColumn[],
  telemetry: Pick<Telemetry, "log" | "metrics">,
): Resealer {
  const { log } = telemetry;
  const metrics = createSealedMetrics(telemetry.metrics);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const stopping = new AbortController();

  async function run(): Promise<ResealReport> {
    const report = { resealed: 0, unopened: 0 };
    const waiting = await showProgress();
    if (waiting > 0) log.info({ waiting }, "Stored secrets are sealed under older keys; they get the current one.");
    let shown = 0;
    for (const column of columns) {
      let after: string | undefined = nilUuid;
      while (after !== undefined && !stopping.signal.aborted) {
        after = await resealRows(database, keyring, column, { after, report });
        if (report.resealed - shown < progressEvery) continue;
        shown = report.resealed;
        log.info({ resealed: shown, waiting: await showProgress() }, "Stored secrets are being sealed again.");
      }
    }
    if (report.resealed > 0) await showProgress();
    if (report.resealed > 0) log.info(report, "Stored secrets were sealed under the keyring's current key.");
    if (report.unopened > 0) {
      log.error(report, `Stored secrets do not open with this keyring: ${missingKeyRemedy(keyring)}.`);
    }
    return report;
  }

  /** @returns number of values under older keys */
  async function showProgress(): Promise<number> {
    let older = 0;
    for (const column of columns) {
      const counts = await countSealed(database, column, keyring.currentId);
      metrics.set(column, counts);
      older += counts.older;
    }
    return older;
  }

  function next(): void {
    running = run()
      .catch((err: unknown) => log.warn({ err }, "Stored secrets could not be sealed again; trying again in an hour."))
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(next, intervalMs).unref();
      });
  }

  return {
    run,
    start: next,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

interface Position {
  /** UUID of the last processed row; nil at the beginning. */
  readonly after: string;
  readonly report: { resealed: number; unopened: number };
}

/** @returns UUID to continue after; undefined at the end. */
async function resealRows(
  database: Database,
  keyring: Keyring,
  { table, column, placeOf }: SealedColumn,
  { after, report }: Position,
): Promise<string | undefined> {
  return await inTransaction(database, async (client) => {
    const { rows } = await client.query<{ uuid: string; sealed: string }>(
      `SELECT uuid::text AS uuid, ${column} AS sealed FROM ${table}
       WHERE ${keyIdIn(column)} <> $1 AND uuid > $2::uuid ORDER BY uuid LIMIT $3 FOR UPDATE SKIP LOCKED`,
      [keyring.currentId, after, rowsMax],
    );
    for (const { uuid, sealed } of rows) {
      if (!isSealedUnderOldKey(keyring, sealed)) continue;
      const text = sealAgain(keyring, sealed, placeOf(uuid));
      if (text === undefined) report.unopened += 1;
      else {
        await client.query(`UPDATE ${table} SET ${column} = $2 WHERE uuid = $1::uuid`, [uuid, text]);
        report.resealed += 1;
      }
    }
    return rows.at(-1)?.uuid;
  });
}

function sealAgain(keyring: Keyring, sealed: string, place: string): string | undefined {
  try {
    return seal(keyring, unseal(keyring, sealed, place), place);
  } catch {
    return undefined;
  }
}
