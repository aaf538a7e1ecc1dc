import type { GatewayError } from "@gatehouse/errors";
import type { Principal } from "@gatehouse/principal";
import { type BodyDebt, chargedBodyBytesMin } from "../domain/body-rate-limiter.ts";
import type { RequestMetrics } from "../metrics.ts";
import { type BodyAdmissionQueue, isWaiting } from "./body-admission-queue.ts";
import { meterBody } from "./body-meter.ts";
import { type BodyScheduler, turnBodyBytesMin } from "./body-scheduler.ts";
import type { RequestState } from "./request-state.ts";
import { bodyRateRefused, shareRefused } from "./share-refusal.ts";

interface BodyOutcome {
  readonly proceed: () => void;
  /** Refused before any of the body was read. */
  readonly refuse: (err: GatewayError) => void;
  /** Refused while the body was read. */
  readonly cutOff: (err: GatewayError) => void;
  /** The request was ended, or its client left, during the wait. */
  readonly leave: () => void;
}

/** Queues bodies that are read whole: before reading, by their project's rate; afterwards, for their turn to be processed. */
export class BodyAdmission {
  readonly #queue: BodyAdmissionQueue;
  readonly #scheduler: BodyScheduler;
  readonly #metrics: Pick<RequestMetrics, "refused">;

  constructor(queue: BodyAdmissionQueue, scheduler: BodyScheduler, metrics: Pick<RequestMetrics, "refused">) {
    this.#queue = queue;
    this.#scheduler = scheduler;
    this.#metrics = metrics;
  }

  /** @param bytes announced size; a body without a length is charged as it arrives */
  enter(state: RequestState, { principal, bytes, comesUnannounced }: AnnouncedBody, outcome: BodyOutcome): void {
    this.#scheduler.see(tenantOf(principal));
    if (comesUnannounced || bytes >= turnBodyBytesMin)
      this.#meter(state, { principal, bytes, comesUnannounced }, outcome);
    if (comesUnannounced || bytes < chargedBodyBytesMin) return outcome.proceed();
    const entered = this.#queue.enter(principal, bytes);
    if (entered === undefined) return outcome.proceed();
    if (!isWaiting(entered)) return outcome.refuse(this.#refusalOf(entered));
    state.bodyWait = entered;
    const settle = (debt: BodyDebt | undefined) => {
      state.bodyWait = undefined;
      if (state.endedBy !== undefined || state.isClosed) outcome.leave();
      else if (debt === undefined) outcome.proceed();
      else outcome.refuse(this.#refusalOf(debt));
    };
    return void entered.settled.then(settle);
  }

  #meter(
    state: RequestState,
    { principal, bytes: announced, comesUnannounced }: AnnouncedBody,
    { cutOff }: BodyOutcome,
  ): void {
    let size = 0;
    meterBody(state.req, {
      onBytes: (bytes) => {
        size += bytes;
        if (!comesUnannounced) return true;
        const refusal = this.#receive(state, principal, { bytes, size });
        if (refusal !== undefined) cutOff(refusal);
        return refusal === undefined;
      },
      onWhole: (release) => {
        const bytes = Math.max(size, announced);
        if (bytes < turnBodyBytesMin) release();
        else this.#scheduler.enter(tenantOf(principal), bytes, release);
      },
    });
  }

  #receive(state: RequestState, principal: Principal, { bytes, size }: Received): GatewayError | undefined {
    const refusal = state.share?.receive(bytes);
    if (refusal !== undefined) {
      this.#metrics.refused(refusal.holder, refusal.bound);
      return shareRefused(refusal);
    }
    if (size < chargedBodyBytesMin) return undefined;
    // Small bodies are free; once a body has grown large, its earlier bytes are charged as well.
    const debt = this.#queue.charge(principal, size - bytes < chargedBodyBytesMin ? size : bytes);
    return debt === undefined ? undefined : this.#refusalOf(debt);
  }

  #refusalOf(debt: BodyDebt): GatewayError {
    this.#metrics.refused(debt.holder, "bodyBytesPerSecond");
    return bodyRateRefused(debt);
  }
}

/** Tenant of a body: its project, or all administrators together. */
function tenantOf(principal: Principal): string {
  return principal.kind === "token" ? principal.project.uuid : "";
}

interface AnnouncedBody {
  readonly principal: Principal;
  /** Bytes that it will occupy: the announced size, or that to which a compressed body may expand. */
  readonly bytes: number;
  readonly comesUnannounced: boolean;
}

interface Received {
  readonly bytes: number;
  readonly size: number;
}
