import { Gauge, type Registry } from "prom-client";
import type { Database } from "./database.ts";
import type { SealedColumn } from "./resealer.ts";

interface SealedCounts {
  readonly current: number;
  /** Under retired keys. */
  readonly older: number;
}

/** Longest head of a sealed value: version, id of the key (`packages/vault`) and dots. */
const headLengthMax = 40;

/** SQL for the id of a value's key, from the head of the value. */
export function keyIdIn(column: string): string {
  return `split_part(left(${column}, ${headLengthMax}), '.', 2)`;
}

/** Counts the sealed values of a column; references are stored unsealed and not counted. */
export async function countSealed(
  { pool }: Pick<Database, "pool">,
  { table, column }: Pick<SealedColumn, "table" | "column">,
  currentId: string,
): Promise<SealedCounts> {
  const { rows } = await pool.query<{ readonly is_current: boolean; readonly count: number }>(
    `SELECT ${keyIdIn(column)} = $1 AS is_current, count(*)::int AS count FROM ${table}
      WHERE left(${column}, 3) = 'v1.' GROUP BY 1`,
    [currentId],
  );
  const countOf = (isCurrent: boolean) => rows.find(({ is_current: is }) => is === isCurrent)?.count ?? 0;
  return { current: countOf(true), older: countOf(false) };
}

/** Progress of a keyring rotation, by table and column. */
interface SealedMetrics {
  set(column: Pick<SealedColumn, "table" | "column">, counts: SealedCounts): void;
}

/** Registers the metrics; services of one process share the registry, and differ in their tables. */
export function createSealedMetrics(registry: Registry): SealedMetrics {
  const name = "gatehouse_sealed_values";
  const known = registry.getSingleMetric(name) as Gauge<"column" | "key"> | undefined;
  const help =
    "Stored secrets, by the key of the keyring that seals them: current or older. An older key may be taken away at zero.";
  const values = known ?? new Gauge({ name, help, labelNames: ["column", "key"], registers: [registry] });
  return {
    set({ table, column }, { current, older }) {
      values.set({ column: `${table}.${column}`, key: "current" }, current);
      values.set({ column: `${table}.${column}`, key: "older" }, older);
    },
  };
}
