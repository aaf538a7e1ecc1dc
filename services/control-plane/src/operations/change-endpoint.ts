import type { Metadata } from "nice-grpc-common";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { EndpointOwner } from "../clients/endpoint-owners.ts";
import type { OperationContext } from "./operation.ts";

/** An endpoint about to be changed, with what its owner is told of the caller. */
export interface EndpointToChange {
  readonly owner: EndpointOwner;
  readonly uuid: string;
  readonly options: { readonly metadata: Metadata };
}

/** Finds an endpoint's owner and its project, then runs a change. @throws GatewayError `Endpoint not found: <uuid>`. */
export async function changeEndpoint(
  text: string,
  { endpoints, projects, caller }: OperationContext,
  change: (endpoint: EndpointToChange) => Promise<JsonObject>,
): Promise<JsonObject> {
  return await endpoints.ofEndpoint(text, async (owner, uuid) => {
    const { project } = await owner.get(uuid);
    const options = caller.optionsFor(await projects.get(String(project)));
    return await change({ owner, uuid, options });
  });
}
