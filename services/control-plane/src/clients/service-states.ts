import { isGatewayError } from "@gatehouse/errors";
import type { GetStateResponse, StateServiceDefinition } from "@gatehouse/proto/service-state";
import type { RpcClient } from "@gatehouse/rpc";
import type { Logger } from "@gatehouse/telemetry";

/** A service whose state can be read, in this process or another. */
export interface ServiceLink {
  readonly name: string;
  readonly client: RpcClient<typeof StateServiceDefinition>;
}

/** Undefined state: no answer. */
export interface NamedState {
  readonly name: string;
  readonly state: GetStateResponse | undefined;
}

/** Longest wait for one service, milliseconds; its parts have less than one second. */
const askTimeoutMs = 2_000;

/** States of the services behind the router. One replica answers for a service. */
export class ServiceStates {
  readonly #services: readonly ServiceLink[];
  readonly #own: () => Promise<GetStateResponse>;
  readonly #log: Logger;

  constructor(services: readonly ServiceLink[], own: () => Promise<GetStateResponse>, log: Logger) {
    this.#services = services;
    this.#own = own;
    this.#log = log;
  }

  /** All states, read concurrently; the Control Plane's first. */
  async read(): Promise<readonly NamedState[]> {
    const others = this.#services.map(async (service) => await this.#ask(service));
    return await Promise.all([this.#own().then((state) => ({ name: "control-plane", state })), ...others]);
  }

  async #ask({ name, client }: ServiceLink): Promise<NamedState> {
    try {
      return { name, state: await client.getState({}, { deadline: askTimeoutMs }) };
    } catch (err) {
      if (!isGatewayError(err)) throw err;
      this.#log.debug({ err, service: name }, "A service does not answer for its state.");
      return { name, state: undefined };
    }
  }
}
