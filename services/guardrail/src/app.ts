import { ChangeFeed, createTransactor, type Database, isDatabaseUnavailable, openDatabase } from "@gatehouse/database";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import type { GuardrailConfig } from "./config.ts";
import { compilePolicyWith } from "./domain/policy/compile-policy.ts";
import { PolicyCatalog } from "./domain/policy-catalog.ts";
import { type Prisma, PrismaClient } from "./generated/prisma/client.ts";
import { loadModel } from "./model-file.ts";
import { bindGuardrail, bindGuardrailAdmin } from "./rpc/bindings.ts";
import { readPolicy } from "./store/policies.ts";

export interface GuardrailOverrides {
  readonly telemetry: Telemetry;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The guardrail service: policies of projects and endpoints, and the judgement of every call's texts by them. */
export function createGuardrailService(
  config: GuardrailConfig,
  { telemetry, now = () => performance.now() }: GuardrailOverrides,
): Service {
  const { log } = telemetry;
  const database = openDatabase({
    url: config.databaseUrl,
    schema: "guardrail",
    connectionsMax: config.databaseConnectionsMax,
    log,
  });
  const changes = new ChangeFeed(database, log);
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  const transact = createTransactor<Prisma.TransactionClient, string>(prisma, changes, (ownerUuid) => ownerUuid);
  const model = loadModel();
  const compile = (document: unknown) => compilePolicyWith(document, model);
  const read = async (ownerUuid: string) => await readPolicy(database, ownerUuid);
  const policies = new PolicyCatalog({ read, compile, now, isUnavailable: isDatabaseUnavailable });

  return {
    name: "guardrail",
    rpc: [bindGuardrail(policies), bindGuardrailAdmin({ database, transact, compile })],
    async start() {
      await database.migrate(migrations);
      changes.subscribe({
        onChange: (ownerUuid) => policies.forget(ownerUuid),
        onGap: () => policies.forgetAll(),
      });
      await changes.start();
    },
    async stop() {
      await changes.stop();
      await prisma.$disconnect();
      await database.close();
    },
    readiness: async () => await databaseReadiness(database),
  };
}

async function databaseReadiness({ pool }: Database): Promise<Readiness> {
  try {
    await pool.query("SELECT 1");
    return isReady;
  } catch {
    return { ready: false, problems: ["the database is not available"] };
  }
}
