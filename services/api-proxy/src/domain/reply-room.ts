import { GatewayError } from "@gatehouse/errors";

const mebibyte = 1024 * 1024;
/**
 * Bytes of replies that are held to be judged at once: of one project, and of all. While more than half of all is held, a project gets
 * no more beyond its share, which one reply with its decoded form fits in: few projects that read slowly cannot take all of the room.
 */
export const replyRoomBytes = { ofProject: 32 * mebibyte, ofProjectInNeed: 8 * mebibyte, ofAll: 128 * mebibyte };

/** Memory of one reply. */
export interface HeldReply {
  /** @throws GatewayError `too_many_requests` where the project holds too much, `unavailable` where all together do. */
  hold(bytes: number): void;
  /** Gives all of it back. */
  release(): void;
}

/** The memory that replies may take which are held until they are judged and taken. */
export class ReplyRoom {
  readonly #byProject = new Map<string, number>();
  #bytes = 0;

  open(projectUuid: string): HeldReply {
    let held = 0;
    return {
      hold: (bytes) => {
        this.#hold(projectUuid, bytes);
        held += bytes;
      },
      release: () => {
        this.#add(projectUuid, -held);
        held = 0;
      },
    };
  }

  #hold(projectUuid: string, bytes: number): void {
    const ofProject = (this.#byProject.get(projectUuid) ?? 0) + bytes;
    const ofAll = this.#bytes + bytes;
    const isNeeded = ofAll > replyRoomBytes.ofAll / 2;
    const ofProjectMax = isNeeded ? replyRoomBytes.ofProjectInNeed : replyRoomBytes.ofProject;
    if (ofProject > ofProjectMax) throw noRoom("too_many_requests", ofProjectMax);
    if (ofAll > replyRoomBytes.ofAll) throw noRoom("unavailable", replyRoomBytes.ofAll);
    this.#add(projectUuid, bytes);
  }

  #add(projectUuid: string, bytes: number): void {
    this.#bytes += bytes;
    const left = (this.#byProject.get(projectUuid) ?? 0) + bytes;
    if (left === 0) this.#byProject.delete(projectUuid);
    else this.#byProject.set(projectUuid, left);
  }
}

function noRoom(code: "too_many_requests" | "unavailable", bytesMax: number): GatewayError {
  const message = `Too much at once: ${bytesMax} bytes of replies are held for guardrails. Wait until others have finished.`;
  return new GatewayError(code, message, { retryAfterSeconds: 1 });
}
