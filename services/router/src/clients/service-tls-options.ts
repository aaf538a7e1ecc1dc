import { Agent } from "node:https";
import type { ConnectionOptions } from "node:tls";
import { checkServiceIdentity, type ServiceName, type ServiceTls } from "@gatehouse/trust";

type ServiceTlsOptions = Required<Pick<ConnectionOptions, "secureContext" | "servername" | "checkServerIdentity">>;

/** TLS options for a service: the router's present certificate, and the service's name. */
export function toTlsOptions(tls: ServiceTls, target: ServiceName): ServiceTlsOptions {
  const { context } = tls.current();
  return { secureContext: context, servername: target, checkServerIdentity: checkServiceIdentity(target) };
}

/** Agent for `node:https`; each connection uses the certificates that are current when it opens. */
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
