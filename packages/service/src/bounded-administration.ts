import { type Database, unlessSilent } from "@gatehouse/database";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import type { RpcBinding } from "@gatehouse/rpc";

type Method = (...given: readonly unknown[]) => Promise<unknown>;

/** Bounds the calls of an owner's operations by the silence of its database; another binding is returned unchanged. */
export function boundedAdministration(binding: RpcBinding, database: Database): RpcBinding {
  if (binding.definition !== AdminServiceDefinition) return binding;
  const methods = Object.entries<Method>(binding.implementation);
  const implementation = methods.map(([name, method]): [string, Method] => [
    name,
    async (...given) => await unlessSilent(database, async () => await method(...given)),
  ]);
  return { ...binding, implementation: Object.fromEntries(implementation) };
}
