import type { ServiceHandler } from "@gatehouse/principal";
import type { RpcBinding } from "@gatehouse/rpc";

/** Whether a service can do its work. */
export interface Readiness {
  readonly ready: boolean;
  /** Problems, or notices where ready, for people. Contains no secret. */
  readonly problems: readonly string[];
}

/**
 * A service as its host sees it. `start` opens its resources and applies its migrations; `stop` closes them in reverse, letting
 * work in flight finish within the host's bound. Each is called once.
 */
export interface Service {
  readonly name: string;
  readonly rpc: readonly RpcBinding[];
  /** HTTP handler; the router has checked its requests. */
  readonly http?: ServiceHandler;
  /** A patient start waits for a database that is away, with back-off, until the stop; otherwise the first failure ends it. */
  start(options?: { readonly isPatient?: boolean }): Promise<void>;
  /**
   * Called by a host of several services, which stops one after the other, when it begins to stop, so that they wait together for
   * a silent database. `stop` calls it otherwise. See `OpenDatabase`.
   */
  giveUpWhenSilent?(): void;
  /** Ends streams that last as long as their reader. Called by the host before its servers wait for calls in flight. */
  endStreams?(): void;
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
}

/** Ready, without notices. */
export const isReady: Readiness = { ready: true, problems: [] };

/** Longest life of a cached readiness, milliseconds. */
const readinessLifeMs = 1_000;

/** Caches a report for {@link readinessLifeMs}; concurrent calls share one request. */
export function cacheReadiness<Report = Readiness>(
  ask: () => Promise<Report>,
  now: () => number = () => performance.now(),
): () => Promise<Report> {
  let asked: { readonly answer: Promise<Report>; isOver: boolean; readonly atMs: number } | undefined;
  return async () => {
    if (asked !== undefined && (!asked.isOver || now() - asked.atMs < readinessLifeMs)) return await asked.answer;
    const current = { answer: ask(), isOver: false, atMs: now() };
    asked = current;
    try {
      return await current.answer;
    } catch (err) {
      asked = undefined;
      throw err;
    } finally {
      current.isOver = true;
    }
  };
}

/**
 * The readiness of a service, cached once it is steady: during start and stop it changes from step to step.
 * @param isSteady whether the service has started and is not stopping
 */
export function readinessOf(service: Pick<Service, "readiness">, isSteady: () => boolean): () => Promise<Readiness> {
  const seldom = cacheReadiness(async () => await service.readiness());
  return async () => await (isSteady() ? seldom() : service.readiness());
}

/** Combined readiness of services; `problems` are prefixed with the service's name. */
export async function combineReadiness(services: readonly Service[]): Promise<Readiness> {
  const parts = await Promise.all(services.map(async (service) => ({ service, state: await service.readiness() })));
  const problems = parts.flatMap(({ service, state }) =>
    state.problems.map((problem) => `${service.name}: ${problem}`),
  );
  return { ready: parts.every(({ state }) => state.ready), problems };
}
