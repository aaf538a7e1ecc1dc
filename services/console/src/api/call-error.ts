/** A refused or failed call, with the gateway's message. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** For look-ups in the gateway log; absent where no reply came. */
  readonly requestId: string | undefined;
  /** HTTP status; 0 where no reply came. */
  readonly status: number;
  /** Whether the gateway or the network failed, so that the same call may succeed later. */
  readonly isPassing: boolean;
  /** Argument that the gateway refused, as a path: `external[0].url`; absent where the message may name it. */
  readonly argument: string | undefined;

  constructor(message: string, { requestId, status, isPassing = isFault(status), argument }: FailedReply) {
    super(message);
    this.argument = argument;
    this.requestId = requestId;
    this.status = status;
    this.isPassing = isPassing;
  }
}

interface FailedReply {
  readonly requestId?: string | undefined;
  readonly status: number;
  readonly isPassing?: boolean;
  readonly argument?: string | undefined;
}

/** Problem of a call of a project's client without a token; the field for it is above. */
export const missingToken = "A token of this project is missing. Enter one above.";

function isFault(status: number): boolean {
  return status === 0 || status >= 500;
}

/** Whether a repetition may succeed; false for errors of the page itself. */
export function isPassing(err: unknown): boolean {
  return err instanceof CallError && err.isPassing;
}

/** Whether the person's session has ended; false if the person has another session by now. */
export function isSignedOut(err: unknown): boolean {
  return err instanceof CallError && err.status === 401 && !err.isPassing;
}
