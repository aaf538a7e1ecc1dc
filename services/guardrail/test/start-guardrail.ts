import { openTestAdmin, type TestAdmin } from "@gatehouse/admin/testing";
import { allowNothing, type EgressAllow } from "@gatehouse/egress";
import { createInProcessTransport } from "@gatehouse/events";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import type { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { connectLocally, type RpcBinding, type RpcClient } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { createGuardrailService } from "../src/program.ts";

/** A service that has started, with what asks and administers it. */
export interface StartedGuardrail {
  readonly service: Service;
  readonly guardrail: RpcClient<typeof GuardrailServiceDefinition>;
  readonly admin: TestAdmin;
}

const keyring = { currentId: "a", keys: new Map([["a", Buffer.alloc(32, 1)]]) };

/** Starts a replica of the service on a database. */
export async function startGuardrail(
  { url }: Pick<TestDatabase, "url">,
  allow: EgressAllow = allowNothing,
): Promise<StartedGuardrail> {
  const config = {
    databaseUrl: new Secret(url),
    databaseConnectionsMax: 5,
    keyring,
    egress: { allow },
    knownTextsMax: 100,
  };
  const service = createGuardrailService(config, {
    telemetry: createSilentTelemetry(),
    events: createInProcessTransport(),
  });
  await service.start();
  const [questions, administration] = service.rpc as unknown as [
    RpcBinding<typeof GuardrailServiceDefinition>,
    RpcBinding<typeof AdminServiceDefinition>,
  ];
  return { service, guardrail: connectLocally(questions), admin: openTestAdmin(administration) };
}
