import { Agent } from "node:https";
import type { ConnectionOptions } from "node:tls";
import { checkServiceIdentity, type ServiceName, type ServiceTls } from "@gatehouse/trust";

type ServiceTlsOptions = Required<Pick<ConnectionOptions, "secureContext" | "servername" | "checkServerIdentity">>;

/** The router's side of a connection to a service: its certificate, as it is now, and the called service's name. */
export function toTlsOptions(tls: ServiceTls, target: ServiceName): ServiceTlsOptions {
  const { context } = tls.current();
  return { secureContext: context, servername: target, checkServerIdentity: checkServiceIdentity(target) };
}

/** Connections for callers that speak through `node:https`; each takes the certificates as they are then. */
export class ServiceAgent extends Agent {
  readonly #tls: ServiceTls;
  readonly #target: ServiceName;

  constructor(tls: ServiceTls, target: ServiceName) {
    super({ keepAlive: true, maxCachedSessions: 0 });
    this.#tls = tls;
    this.#target = target;
  }

  override createConnection(...[options, callback]: Parameters<Agent["createConnection"]>) {
    return super.createConnection({ ...options, ...toTlsOptions(this.#tls, this.#target) }, callback);
  }
}
