import { GatewayError } from "@gatehouse/errors";
import type { Readiness } from "@gatehouse/service";
import type { Dispatcher } from "undici";

export interface RemoteReadinessOptions {
  /** Origins by the service's name. */
  readonly origins: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
}

/** Asks each service's `/readyz`. One that does not answer 200 in time is a problem, named by the service. */
export function createRemoteReadiness({ origins, dispatcher, timeoutMs }: RemoteReadinessOptions) {
  return async (): Promise<Readiness> => {
    const states = await Promise.all(
      Object.entries(origins).map(async ([name, origin]) => ({
        name,
        ready: await ask(dispatcher, origin, timeoutMs),
      })),
    );
    const problems = states.filter(({ ready }) => !ready).map(({ name }) => `${name}: not ready`);
    return { ready: problems.length === 0, problems };
  };
}

async function ask(dispatcher: Dispatcher, origin: string, timeoutMs: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { statusCode, body } = await dispatcher.request({ origin, path: "/readyz", method: "GET", signal });
    await body.dump();
    return statusCode === 200;
  } catch (err) {
    // Whatever the network threw, the service is not reached; a defect of our own must show.
    if (err instanceof TypeError || err instanceof GatewayError) throw err;
    return false;
  }
}
