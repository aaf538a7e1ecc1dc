import type { IncomingMessage } from "node:http";
import { get } from "node:http";
import { get as getEncrypted } from "node:https";
import { checkServiceIdentity } from "@gatehouse/trust";
import type { Place } from "./places.ts";
import type { ServiceContext } from "./service-env.ts";

/** Longest wait for `/readyz`, which services answer within a second. */
const answerTimeoutMs = 2_000;

/** Whether a service is ready, by the router's operations port, or another service's HTTP port. */
export async function isReady(
  { name, httpPort }: Place,
  { operationsPort, certificates }: Pick<ServiceContext, "operationsPort" | "certificates">,
): Promise<boolean> {
  const options = { host: "127.0.0.1", path: "/readyz", agent: false, timeout: answerTimeoutMs } as const;
  return await new Promise((resolve) => {
    const onReply = (reply: IncomingMessage) => (reply.resume(), resolve(reply.statusCode === 200));
    const request =
      name === "router" || certificates === undefined
        ? get({ ...options, port: name === "router" ? operationsPort : httpPort }, onReply)
        : getEncrypted(
            {
              ...options,
              port: httpPort,
              ca: certificates.authority,
              checkServerIdentity: checkServiceIdentity(name),
            },
            onReply,
          );
    request.once("timeout", () => request.destroy()).once("error", () => resolve(false));
  });
}
