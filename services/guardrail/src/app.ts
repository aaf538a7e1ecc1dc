import { bindAdmin } from "@gatehouse/admin";
import { Repetition } from "@gatehouse/async";
import { answeredForCache, createBatchRead, createSecretExport, isDatabaseUnavailable } from "@gatehouse/database";
import {
  createEgressDispatcher,
  createEgressGuard,
  createGuardedFetch,
  type OpenSocket,
  type ResolveHost,
} from "@gatehouse/egress";
import { runInSlices } from "@gatehouse/pace";
import { createService, type OutboxKernel, type Service, type ServiceHost } from "@gatehouse/service";
import { Counter } from "prom-client";
import { operations } from "./admin/operations.ts";
import { createConsult } from "./app/consult.ts";
import { Inspector } from "./app/inspector.ts";
import { PolicyCatalog } from "./app/policy-catalog.ts";
import { policyKeyOf, VerdictRecords } from "./app/verdict-records.ts";
import { createAskExternal, describeFailure } from "./clients/external-guardrails.ts";
import type { GuardrailConfig } from "./config.ts";
import { externalBounds } from "./domain/external/external-document.ts";
import { compilePolicySteps } from "./domain/policy/compile-given-policy.ts";
import { combinePolicySteps, type CompiledPolicy } from "./domain/policy/compile-policy.ts";
import type { Judge } from "./domain/policy/judge.ts";
import { createExternalRecord } from "./external-record.ts";
import { loadModel } from "./model-file.ts";
import { bindGuardrail } from "./rpc/bind-guardrail.ts";
import { storeComparison } from "./store/comparisons.ts";
import { readExternalSecret, sealedColumns } from "./store/external-secrets.ts";
import { deleteOldFindings, storeFindings } from "./store/findings.ts";
import { deleteEndpoint, deleteProject, hasPolicies, openPolicyStore, readPolicies } from "./store/policies.ts";

/** Host of the guardrail service; the rest is for tests. */
export interface GuardrailDependencies extends ServiceHost {
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Resolves names of guardrails elsewhere and opens connections to them; for tests without a network. */
  readonly resolve?: ResolveHost;
  readonly openSocket?: OpenSocket;
}

/** Connections to one guardrail elsewhere, and the bound of a TCP connection and TLS. */
const externalConnections = { connectionsMax: externalBounds.inFlightMax, connectTimeoutMs: 5_000 };

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The guardrail service: policies of projects and endpoints, and the judgement of every call's texts by them. */
export function createGuardrailService(config: GuardrailConfig, host: GuardrailDependencies): Service {
  const { now = () => performance.now() } = host;
  const { keyring } = config;
  const database = { config, schema: "guardrail", migrations, sealing: { keyring, columns: sealedColumns } };
  return createService({ name: "guardrail", host, database, outbox: true, feed: true }, (kernel) => {
    const store = openPolicyStore(kernel);
    const readSaved = createBatchRead(async (uuids: readonly string[]) => await readPolicies(kernel.database, uuids));
    const read = async (ownerUuid: string, isKept: boolean) =>
      await answeredForCache(async () => await readSaved(ownerUuid), isKept);
    const ready = { compile: compileInSlices, combine: combineInSlices };
    const policies = new PolicyCatalog({ ...ready, read, now, isUnavailable: isDatabaseUnavailable });
    const inspector = new Inspector(config);
    kernel.feed.subscribe({
      onChange: (ownerUuid) => {
        policies.forget(ownerUuid);
        inspector.prepare();
      },
      onGap: () => policies.expireAll(),
    });
    const judge: Judge = (policy, request, options) => inspector.inspect(policy, request, options);
    const records = openRecords(kernel, judge);
    const upkeep = createUpkeep(kernel);
    const external = openExternal(config, host, kernel);
    const admin = bindAdmin({
      operations,
      context: { ...ready, database: kernel.database, store, judge, policyKeyOf, keyring, checkUrl: external.checkUrl },
      answerOnce: store.answerOnce,
      deleteEndpoint: async (endpointUuid) => await deleteEndpoint(store, endpointUuid),
      deleteProject: async (projectUuid) => await deleteProject(store, projectUuid),
      exportSecrets: createSecretExport(kernel.database, keyring, sealedColumns, kernel.log),
    });
    return {
      rpc: [bindGuardrail({ policies, judge, records, consult: external.consult }), admin],
      parts: [
        // A service without its model would let attacks pass, so it does not start.
        { name: "model", start: () => void loadModel() },
        {
          name: "inspector",
          start: async () => await prepareForPolicies(inspector, kernel),
          stop: () => inspector.close(),
        },
        { name: "records", start: () => records.start(), stop: async () => await records.stop() },
        { name: "old findings", start: () => upkeep.start(), stop: async () => await upkeep.stop() },
        { name: "egress", stop: async () => await external.dispatcher.destroy() },
      ],
    };
  });
}

/** Prepares the checks where a policy needs them, or may. */
async function prepareForPolicies(inspector: Inspector, { database, log }: OutboxKernel): Promise<void> {
  const isNeeded = await hasPolicies(database).catch((err: unknown) => {
    log.warn({ err }, "The policies could not be counted; the checks are prepared in any case.");
    return true;
  });
  if (isNeeded) inspector.prepare();
}

/** Interval at which findings that are too old or too many are deleted, ms. */
const upkeepIntervalMs = 60 * 60_000;

function createUpkeep({ database, log }: OutboxKernel) {
  return new Repetition({
    intervalMs: upkeepIntervalMs,
    work: async () => await deleteOldFindings(database),
    onFailure: (err) => log.warn({ err }, "Old findings could not be deleted."),
  });
}

/** Findings and comparisons that are kept, behind the answers. */
function openRecords({ database, log, telemetry }: OutboxKernel, judge: Judge): VerdictRecords {
  const dropped = new Counter({
    name: "gatehouse_guardrail_findings_dropped_total",
    help: "Findings that are not kept for svc_list_findings, since too many came at once.",
    registers: [telemetry.metrics],
  });
  return new VerdictRecords({
    judge,
    storeFindings: async (findings) => await storeFindings(database, findings),
    storeComparison: async (place, counts) => await storeComparison(database, place, counts),
    onDropped: (count) => dropped.inc(count),
    onFailure: (err) => log.warn({ err }, "Findings or comparisons of guardrails could not be kept."),
  });
}

/** Everything that leads to guardrails elsewhere, whose addresses tenants choose. */
function openExternal(
  { egress, keyring }: GuardrailConfig,
  host: GuardrailDependencies,
  { database, log }: OutboxKernel,
) {
  const { resolve, telemetry, openSocket } = host;
  const guard = createEgressGuard({
    allow: egress.allow,
    logger: telemetry.log,
    ...(resolve !== undefined && { resolve }),
  });
  const dispatcher = createEgressDispatcher({ guard, ...externalConnections, ...(openSocket && { openSocket }) });
  const fetch = createGuardedFetch(dispatcher, {
    timeoutMs: externalBounds.timeoutMsMax,
    bodySizeBytesMax: externalBounds.replyBytesMax,
  });
  const readSecret = async (uuid: string, projectUuid: string) =>
    await readExternalSecret(database, keyring, { uuid, projectUuid });
  const ask = createAskExternal({ fetch, guard, readSecret, wallNow: Date.now });
  const record = createExternalRecord({ log, metrics: telemetry.metrics, describe: describeFailure });
  return {
    dispatcher,
    consult: createConsult(ask, record),
    checkUrl: async (url: string) => await guard.checkToSave(url),
  };
}

/** Compiles a policy without holding the event loop. */
async function compileInSlices(document: unknown): Promise<CompiledPolicy> {
  return await runInSlices(compilePolicySteps(document, loadModel()));
}

async function combineInSlices(project: CompiledPolicy, endpoint: CompiledPolicy): Promise<CompiledPolicy> {
  return await runInSlices(combinePolicySteps(project, endpoint));
}
