import type { OwnOperation } from "../admin/own-operation.ts";
import type { Federation } from "../clients/federation.ts";
import { withEndpointDeletion } from "./endpoint-deletion.ts";
import { fromOwn, type Operation } from "./operation.ts";
import { groupByName } from "./owned-operation.ts";

/** Every operation of the Control Plane: its own and those of the services that own resources. */
export interface OperationCatalogue {
  /** In the order of `tools/list`: its own first. */
  list(): Promise<readonly Operation[]>;
  /** @throws GatewayError `unavailable` for a name that only an owner could know which has not been heard yet. */
  find(name: string): Promise<Operation | undefined>;
}

/** All operations by name: the Control Plane's own, and those that owners last listed. */
export function createOperationCatalogue(
  ownOperations: readonly OwnOperation[],
  federation: Federation,
): OperationCatalogue {
  const own = ownOperations.map(fromOwn);
  const byName = new Map(own.map((operation) => [operation.name, operation]));
  return {
    list: async () => [...own, ...groupByName(await federation.list()).map(withEndpointDeletion)],
    find: async (name) => byName.get(name) ?? groupByName(await federation.find(name)).map(withEndpointDeletion)[0],
  };
}

/** The catalogue for one call of an operation, which is looked for once: an owner that does not answer is waited for once. */
export function findingOnce(catalogue: OperationCatalogue, name: string): OperationCatalogue {
  let found: Promise<Operation | undefined> | undefined;
  return {
    list: async () => await catalogue.list(),
    find: async (wanted) => await (wanted === name ? (found ??= catalogue.find(name)) : catalogue.find(wanted)),
  };
}
