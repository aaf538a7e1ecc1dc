import { GatewayError } from "@gatehouse/errors";

/** Room for what is held to be judged at once: of one project, and of all. */
interface QuotaBounds {
  readonly ofProject: number;
  /** The most of a project while more than half of all is held; {@link ofProject} where absent. */
  readonly ofProjectInNeed?: number;
  readonly ofAll: number;
  /** The things that are counted, for people. */
  readonly of: string;
}

const mebibyte = 1024 * 1024;

/** Bytes of a body that is judged, decompressed. More is refused under a policy. */
export const judgedBodyBytesMax = 4 * mebibyte;

/** Requests whose bodies are held at once, each of {@link judgedBodyBytesMax} at most. */
export const bodyQuota: QuotaBounds = { ofProject: 16, ofAll: 64, of: "request bodies" };

/**
 * In need, a share fits one reply with its decoded form: few projects that read slowly cannot take all of the room.
 */
export const replyQuota = {
  ofProject: 32 * mebibyte,
  ofProjectInNeed: 8 * mebibyte,
  ofAll: 128 * mebibyte,
  of: "bytes of replies",
} as const satisfies QuotaBounds;

/** Room of one request. */
export interface Held {
  /** @throws GatewayError `too_many_requests` where the project holds too much, `unavailable` where all together do. */
  hold(amount: number): void;
  /** Gives all of it back. */
  readonly release: () => void;
}

/** The room that bodies may take which are held for guardrails. */
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
