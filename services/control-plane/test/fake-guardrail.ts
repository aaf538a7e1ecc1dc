import { GatewayError } from "@gatehouse/errors";
import { GuardrailAdminServiceDefinition, type PolicyOwner, PolicySource } from "@gatehouse/proto/guardrail";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";

/** The guardrail service's administration in memory. */
export interface FakeGuardrail {
  readonly binding: RpcBinding<typeof GuardrailAdminServiceDefinition>;
  /** Documents by the uuid of their owner. */
  readonly documents: Map<string, string>;
  readonly deletedProjects: string[];
  /** Thrown by every call while set. */
  failure: GatewayError | undefined;
}

export function createFakeGuardrail(): FakeGuardrail {
  const documents = new Map<string, string>();
  const fake: Omit<FakeGuardrail, "binding"> = { documents, deletedProjects: [], failure: undefined };
  const throwIfFailing = () => {
    if (fake.failure !== undefined) throw fake.failure;
  };
  const binding = bindRpc(GuardrailAdminServiceDefinition, {
    async setPolicy({ owner, documentJson }) {
      throwIfFailing();
      if (documentJson.includes("refused")) throw new GatewayError("invalid_argument", "keywords[0] is refused.");
      documents.set(keyOf(owner), documentJson);
      return await Promise.resolve({ policy: policyOf(documents, owner) });
    },
    async clearPolicy({ owner }) {
      documents.delete(keyOf(owner));
      return await Promise.resolve({ policy: policyOf(documents, owner) });
    },
    getPolicy: async ({ owner }) => await Promise.resolve({ policy: policyOf(documents, owner) }),
    async testPolicy({ owner, text }) {
      const { source } = policyOf(documents, owner);
      const finding = { detector: "pii", label: "E-Mail", start: 0, end: text.length, textIndex: 0 };
      const message = "Request blocked: E-Mail detected in input.";
      return await Promise.resolve({ blocked: true, message, reason: "pii", findings: [finding], source });
    },
    async deleteEndpoint({ endpointUuid }) {
      throwIfFailing();
      documents.delete(endpointUuid);
      return await Promise.resolve({});
    },
    async deleteProject({ projectUuid }) {
      throwIfFailing();
      fake.deletedProjects.push(projectUuid);
      documents.delete(projectUuid);
      return await Promise.resolve({});
    },
  });
  return Object.assign(fake, { binding });
}

function keyOf(owner: PolicyOwner | undefined): string {
  return owner?.endpointUuid === "" ? owner.projectUuid : (owner?.endpointUuid ?? "");
}

function policyOf(documents: ReadonlyMap<string, string>, owner: PolicyOwner | undefined) {
  const own = owner?.endpointUuid === "" ? undefined : documents.get(owner?.endpointUuid ?? "");
  if (own !== undefined) return { documentJson: own, source: PolicySource.POLICY_SOURCE_ENDPOINT };
  const projects = documents.get(owner?.projectUuid ?? "");
  if (projects !== undefined) return { documentJson: projects, source: PolicySource.POLICY_SOURCE_PROJECT };
  return { documentJson: "{}", source: PolicySource.POLICY_SOURCE_UNSPECIFIED };
}
