import { GatewayError } from "@gatehouse/errors";
import type { CompatServiceDefinition } from "nice-grpc";
import type { RpcClient } from "./client.ts";

/** A client of a service that this installation does not have: each unary call is refused as `unavailable`. */
export function connectToAbsent<Definition extends CompatServiceDefinition>(
  definition: Definition,
  service: string,
): RpcClient<Definition> {
  const refuse = async () =>
    await Promise.reject(new GatewayError("unavailable", `The ${service} service is not part of this installation.`));
  return Object.fromEntries(Object.keys(definition.methods ?? {}).map((name) => [name, refuse])) as never;
}
