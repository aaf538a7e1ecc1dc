import { bindAdmin } from "@gatehouse/admin";
import { answeredForCache, createBatchRead, isDatabaseUnavailable } from "@gatehouse/database";
import { runInSlices } from "@gatehouse/pace";
import { createService, type Service, type ServiceHost } from "@gatehouse/service";
import { Inspector } from "./app/inspector.ts";
import { policyOperations } from "./admin/policy-operations.ts";
import type { GuardrailConfig } from "./config.ts";
import { compilePolicySteps, compilePolicyWith } from "./domain/policy/compile-given-policy.ts";
import { combinePolicySteps, type CompiledPolicy } from "./domain/policy/compile-policy.ts";
import type { Judge } from "./domain/policy/judge.ts";
import { PolicyCatalog } from "./domain/policy-catalog.ts";
import { loadModel } from "./model-file.ts";
import { bindGuardrail } from "./rpc/bindings.ts";
import { deleteEndpoint, deleteProject, openPolicyStore, readPolicies } from "./store/policies.ts";

export interface GuardrailOverrides extends ServiceHost {
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The guardrail service: policies of projects and endpoints, and the judgement of every call's texts by them. */
export function createGuardrailService(config: GuardrailConfig, host: GuardrailOverrides): Service {
  const { now = () => performance.now() } = host;
  const database = { config, schema: "guardrail", migrations };
  return createService({ name: "guardrail", host, database, outbox: true, feed: true }, (kernel) => {
    const store = openPolicyStore(kernel);
    const readSaved = createBatchRead(async (uuids: readonly string[]) => await readPolicies(kernel.database, uuids));
    const read = async (ownerUuid: string, isKept: boolean) =>
      await answeredForCache(async () => await readSaved(ownerUuid), isKept);
    const ready = { compile: compileInSlices, combine: combineInSlices };
    const policies = new PolicyCatalog({ ...ready, read, now, isUnavailable: isDatabaseUnavailable });
    kernel.feed.subscribe({
      onChange: (ownerUuid) => policies.forget(ownerUuid),
      onGap: () => policies.forgetAll(),
    });
    const inspector = new Inspector();
    const judge: Judge = (policy, request, options) => inspector.inspect(policy, request, options);
    const admin = bindAdmin({
      operations: policyOperations,
      context: { ...ready, database: kernel.database, store, judge },
      deleteEndpoint: async (endpointUuid) => await deleteEndpoint(store, endpointUuid),
      deleteProject: async (projectUuid) => await deleteProject(store, projectUuid),
    });
    return {
      rpc: [bindGuardrail({ policies, judge }), admin],
      parts: [
        // A service without its model would let attacks pass, so it does not start.
        { name: "model", start: () => void loadModel() },
        { name: "inspector", stop: () => inspector.close() },
      ],
    };
  });
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
