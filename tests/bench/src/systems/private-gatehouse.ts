import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@gatehouse/postgres";
import { crashPostgres } from "@gatehouse/postgres/testing";
import type { ProcessGroup } from "../process-usage.ts";
import { type Bench, nothingMeasured, type ScenarioOutcome } from "../scenario.ts";
import { type Gatehouse, startGatehouse } from "./gatehouse.ts";

/** A separate product for a scenario, with a Postgres that the scenario may fill and stop. */
export interface PrivateGatehouse {
  readonly gatehouse: Gatehouse;
  /** The product's process with that Postgres. */
  readonly group: ProcessGroup;
  readonly databaseUrl: string;
  /** Crashes the server: sessions break, and nothing more is written. */
  crashPostgres(): Promise<void>;
  /** Starts the server again, on the same port and data. */
  restartPostgres(): Promise<void>;
  stop(): Promise<void>;
}

/** Products to start: the name of each, with its environment. */
type Named<Name extends string> = Readonly<Record<Name, Readonly<Record<string, string>>>>;

/** Runs products for a scenario, and stops them at the end. @throws Error when one does not start */
export async function withPrivateGatehouses<Name extends string>(
  bench: Bench,
  products: Named<Name>,
  work: (started: Readonly<Record<Name, PrivateGatehouse>>) => Promise<ScenarioOutcome>,
): Promise<ScenarioOutcome> {
  const started: Record<string, PrivateGatehouse> = {};
  try {
    for (const [name, env] of Object.entries<Readonly<Record<string, string>>>(products)) {
      bench.progress(`starting the product ${name}`);
      const own = await startPrivateGatehouse(bench, name, env);
      if (own === undefined) return nothingMeasured;
      started[name] = own;
    }
    return await work(started as Readonly<Record<Name, PrivateGatehouse>>);
  } finally {
    for (const own of Object.values(started)) await own.stop();
  }
}

/** Starts both in new folders; undefined where there is no product. */
async function startPrivateGatehouse(
  bench: Bench,
  product: string,
  env: Readonly<Record<string, string>>,
): Promise<PrivateGatehouse | undefined> {
  const name = product.replaceAll(/[^a-z0-9]+/g, "-");
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-bench-${name}-`));
  // Postgres may run as another user, who needs access.
  chmodSync(folder, 0o711);
  const server = { dataDir: join(folder, "postgres"), logFile: join(bench.logFolder, `${name}-postgres.log`) };
  let postgres = await startPostgres(server);
  const end = async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const { fromSource, profile } = bench.options;
  const options = { providerOrigin: bench.provider.origin, logFolder: bench.logFolder, fromSource, profile };
  const own = { databaseUrl: postgres.url, logName: `${name}-gatehouse`, env };
  const gatehouse = await startGatehouse({ ...options, ...own }).catch(async (err: unknown) => {
    await end();
    throw err;
  });
  if (!gatehouse) {
    await end();
    return undefined;
  }
  return {
    gatehouse,
    group: { rootPid: gatehouse.subject.group?.rootPid ?? 0, home: folder },
    databaseUrl: postgres.url,
    crashPostgres: async () => await crashPostgres(postgres),
    restartPostgres: async () => {
      postgres = await startPostgres({ ...server, port: postgres.port });
    },
    stop: async () => {
      await gatehouse.stop();
      await end();
    },
  };
}
