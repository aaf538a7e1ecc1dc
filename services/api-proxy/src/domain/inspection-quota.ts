import { GatewayError } from "@gatehouse/errors";

/** Amounts that one project and all projects may hold for guardrails. */
interface QuotaBounds {
  readonly ofProject: number;
  /** Largest amount of a project while more than half of `ofAll` is held; defaults to {@link ofProject}. */
  readonly ofProjectInNeed?: number;
  readonly ofAll: number;
  /** Counted objects, for messages. */
  readonly of: string;
}

const mebibyte = 1024 * 1024;

/** Largest decompressed body that is judged; larger ones are refused under a policy. */
export const judgedBodyBytesMax = 4 * mebibyte;

/** Requests with held bodies, each of {@link judgedBodyBytesMax} at most. */
export const bodyQuota: QuotaBounds = { ofProject: 16, ofAll: 64, of: "request bodies" };

/** `ofProjectInNeed` fits one reply with its decoded form, so that a few slow readers cannot exhaust the total. */
export const replyQuota = {
  ofProject: 32 * mebibyte,
  ofProjectInNeed: 8 * mebibyte,
  ofAll: 128 * mebibyte,
  of: "bytes of replies",
} as const satisfies QuotaBounds;

/** One request's part of a quota. The holder must release it when the request ends, since nothing else does. */
export interface Held {
  /** @throws GatewayError `too_many_requests` where the project holds too much, `unavailable` where all together do */
  hold(amount: number): void;
  /** Releases everything that the request holds. */
  readonly release: () => void;
}

/** Counts bodies held for guardrails, and refuses those over the bounds. */
export class InspectionQuota {
  readonly #bounds: QuotaBounds;
  readonly #byProject = new Map<string, number>();
  #ofAll = 0;

  constructor(bounds: QuotaBounds) {
    this.#bounds = bounds;
  }

  open(projectUuid: string): Held {
    let held = 0;
    return {
      hold: (amount) => {
        this.#hold(projectUuid, amount);
        held += amount;
      },
      release: () => {
        this.#add(projectUuid, -held);
        held = 0;
      },
    };
  }

  #hold(projectUuid: string, amount: number): void {
    const { ofProject, ofProjectInNeed = ofProject, ofAll } = this.#bounds;
    const ofProjectThen = (this.#byProject.get(projectUuid) ?? 0) + amount;
    const ofAllThen = this.#ofAll + amount;
    const ofProjectMax = ofAllThen > ofAll / 2 ? ofProjectInNeed : ofProject;
    if (ofProjectThen > ofProjectMax) throw this.#refusal("too_many_requests", ofProjectMax);
    if (ofAllThen > ofAll) throw this.#refusal("unavailable", ofAll);
    this.#add(projectUuid, amount);
  }

  #add(projectUuid: string, amount: number): void {
    this.#ofAll += amount;
    const left = (this.#byProject.get(projectUuid) ?? 0) + amount;
    if (left === 0) this.#byProject.delete(projectUuid);
    else this.#byProject.set(projectUuid, left);
  }

  #refusal(code: "too_many_requests" | "unavailable", max: number): GatewayError {
    const message = `Too much at once: ${max} ${this.#bounds.of} are held for guardrails. Wait until others have finished.`;
    return new GatewayError(code, message, { retryAfterSeconds: 1 });
  }
}
