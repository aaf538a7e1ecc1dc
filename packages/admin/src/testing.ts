import { type AuditOrigin, originMetadata, type ProjectReference } from "@gatehouse/audit";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { connectLocally, type RpcBinding } from "@gatehouse/rpc";
import type { JsonObject } from "./operation.ts";

/** An owner's operations, as the Control Plane calls them. */
export interface TestAdmin {
  /** The operation's result. `project` is the one that its arguments name. */
  call<Result = Shown>(name: string, input: JsonObject, project?: ProjectReference | null): Promise<Result>;
  deleteProject(projectUuid: string): Promise<void>;
}

/** A result whose members a test names as it expects them. */
export type Shown = Readonly<Record<string, unknown>>;

const administrator: AuditOrigin = { actor: "admin_key:ops", ipAddress: "192.0.2.7", project: null, traceparent: "" };

/** Calls an owner's operations in process. */
export function openTestAdmin(binding: RpcBinding<typeof AdminServiceDefinition>): TestAdmin {
  const client = connectLocally(binding);
  return {
    async call<Result>(name: string, input: JsonObject, project: ProjectReference | null = null) {
      const metadata = originMetadata({ ...administrator, project });
      const { resultJson } = await client.callOperation({ name, argumentsJson: JSON.stringify(input) }, { metadata });
      return JSON.parse(resultJson) as Result;
    },
    deleteProject: async (projectUuid) => void (await client.deleteProject({ projectUuid })),
  };
}
