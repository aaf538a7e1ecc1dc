import { bindAdmin } from "@gatehouse/admin";
import { createOutboxRelay, type OutboxRelay } from "@gatehouse/audit";
import {
  answeredForCache,
  ChangeFeed,
  createBatchRead,
  type Database,
  isAnswering,
  isDatabaseUnavailable,
  openDatabase,
} from "@gatehouse/database";
import type { EventTransport } from "@gatehouse/events";
import { runInSlices } from "@gatehouse/pace";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { Inspector } from "./app/inspector.ts";
import { policyOperations } from "./admin/policy-operations.ts";
import type { GuardrailConfig } from "./config.ts";
import { compilePolicySteps, compilePolicyWith } from "./domain/policy/compile-given-policy.ts";
import { combinePolicySteps, type CompiledPolicy } from "./domain/policy/compile-policy.ts";
import type { Judge } from "./domain/policy/judge.ts";
import { PolicyCatalog } from "./domain/policy-catalog.ts";
import { loadModel } from "./model-file.ts";
import { bindGuardrail } from "./rpc/bindings.ts";
import { createGuardrailStore } from "./store/guardrail-store.ts";
import { deleteEndpoint, deleteProject, readPolicies } from "./store/policies.ts";

export interface GuardrailOverrides {
  readonly telemetry: Telemetry;
  /** Where audit events go; the caller starts and stops it. */
  readonly events: EventTransport;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The guardrail service: policies of projects and endpoints, and the judgement of every call's texts by them. */
export function createGuardrailService(
  config: GuardrailConfig,
  { telemetry, events, now = () => performance.now() }: GuardrailOverrides,
): Service {
  const { log, metrics } = telemetry;
  const database = openDatabase({
    url: config.databaseUrl,
    schema: "guardrail",
    connectionsMax: config.databaseConnectionsMax,
    log,
  });
  const changes = new ChangeFeed(database, log);
  const relay = createOutboxRelay({ database, transport: events, service: "guardrail", log, metrics });
  const store = createGuardrailStore(database, changes, () => relay.wake());
  const readSaved = createBatchRead(async (ownerUuids: readonly string[]) => await readPolicies(database, ownerUuids));
  const read = async (ownerUuid: string, isKept: boolean) =>
    await answeredForCache(async () => await readSaved(ownerUuid), isKept);
  const ready = { compile: compileInSlices, combine: combineInSlices };
  const policies = new PolicyCatalog({ ...ready, read, now, isUnavailable: isDatabaseUnavailable });

  const inspector = new Inspector();
  const judge: Judge = (policy, request, options) => inspector.inspect(policy, request, options);
  const { transact } = store;
  const admin = bindAdmin({
    operations: policyOperations,
    context: { ...ready, database, transact, judge },
    deleteEndpoint: async (endpointUuid) => await deleteEndpoint(transact, endpointUuid),
    deleteProject: async (projectUuid) => await deleteProject(transact, projectUuid),
  });

  return {
    name: "guardrail",
    rpc: [bindGuardrail({ policies, judge }), admin],
    async start() {
      // A service without its model would let attacks pass, so it does not start.
      loadModel();
      await database.migrate(migrations);
      changes.subscribe({
        onChange: (ownerUuid) => policies.forget(ownerUuid),
        onGap: () => policies.forgetAll(),
      });
      await changes.start();
      relay.start();
    },
    async stop() {
      inspector.close();
      await relay.stop();
      await changes.stop();
      await store.close();
      await database.close();
    },
    readiness: async () => await checkReadiness(database, relay),
  };
}

/**
 * Checks a policy as it came from outside and makes it ready for `inspect`. Throws `GatewayError("invalid_argument")`
 * naming the field and, in lists, the position.
 */
export function compilePolicy(document: unknown): CompiledPolicy {
  return compilePolicyWith(document, loadModel());
}

/** The same without holding the event loop. */
async function compileInSlices(document: unknown): Promise<CompiledPolicy> {
  return await runInSlices(compilePolicySteps(document, loadModel()));
}

async function combineInSlices(project: CompiledPolicy, endpoint: CompiledPolicy): Promise<CompiledPolicy> {
  return await runInSlices(combinePolicySteps(project, endpoint));
}

async function checkReadiness(database: Database, relay: OutboxRelay): Promise<Readiness> {
  if (await isAnswering(database)) return { ...isReady, problems: relay.problems() };
  return { ready: false, problems: ["the database is not available"] };
}
