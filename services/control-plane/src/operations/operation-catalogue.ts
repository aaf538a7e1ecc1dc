import type { OwnOperation } from "../admin/own-operation.ts";
import type { Federation } from "../clients/federation.ts";
import { withEndpointDeletion } from "./endpoint-deletion.ts";
import { fromOwn, type Operation } from "./operation.ts";
import { groupByName } from "./owned-operation.ts";

/** Operations of the Control Plane and of the services that own resources. */
export interface OperationCatalogue {
  /** In the order of `tools/list`: its own first. */
  list(): Promise<readonly Operation[]>;
  /** @throws GatewayError `unavailable` for an unknown name while an owner has not answered yet */
  find(name: string): Promise<Operation | undefined>;
}

/** Catalogue of the Control Plane's own operations and those that owners last listed. */
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

/** Catalogue for one call: caches the search for its operation, so that an unreachable owner is waited for once. */
export function findingOnce(catalogue: OperationCatalogue, name: string): OperationCatalogue {
  let found: Promise<Operation | undefined> | undefined;
  return {
    list: async () => await catalogue.list(),
    find: async (wanted) => await (wanted === name ? (found ??= catalogue.find(name)) : catalogue.find(wanted)),
  };
}
