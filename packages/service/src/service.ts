import type { ServiceHandler } from "@gatehouse/principal";
import type { RpcBinding } from "@gatehouse/rpc";

/** Whether a service can do its work. */
export interface Readiness {
  readonly ready: boolean;
  /** Missing things, for people, and notices where ready. Names no secret. */
  readonly problems: readonly string[];
}

/** Patience of a start. */
export interface StartOptions {
  /** Waits for a database that is away, with back-off, until the stop; the first failure ends the start when absent. */
  readonly isPatient?: boolean;
}

/**
 * A service as its host sees it, wherever it runs. `start` opens what it needs and applies its migrations; `stop` undoes
 * that in reverse, letting work in flight finish within the host's bound. Each is called once.
 */
export interface Service {
  readonly name: string;
  /** gRPC services that it serves. */
  readonly rpc: readonly RpcBinding[];
  /** HTTP handler, where it has one; the router's guards come first. */
  readonly http?: ServiceHandler;
  start(options?: StartOptions): Promise<void>;
  /** Ends the streams that would last as long as their reader. A host calls it before its servers wait for calls in flight. */
  endStreams?(): void;
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
}

/** Ready, with nothing to say about it. */
export const isReady: Readiness = { ready: true, problems: [] };

/** Greatest age of an answer about readiness, milliseconds. */
const readinessLifeMs = 1_000;

/** Asks at most once in {@link readinessLifeMs}, and once at a time: frequent questions must not make work. */
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
 * The readiness of a service, asked seldom once it is steady: while it starts or stops, the answer changes from step to step.
 * @param isSteady whether it has started, and does not stop
 */
export function readinessOf(service: Pick<Service, "readiness">, isSteady: () => boolean): () => Promise<Readiness> {
  const seldom = cacheReadiness(async () => await service.readiness());
  return async () => await (isSteady() ? seldom() : service.readiness());
}

/** Readiness of the whole from that of its parts; `problems` are prefixed with the part's name. */
export async function combineReadiness(services: readonly Service[]): Promise<Readiness> {
  const parts = await Promise.all(services.map(async (service) => ({ service, state: await service.readiness() })));
  const problems = parts.flatMap(({ service, state }) =>
    state.problems.map((problem) => `${service.name}: ${problem}`),
  );
  return { ready: parts.every(({ state }) => state.ready), problems };
}
