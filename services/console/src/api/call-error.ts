/** A call that was refused or has failed, in the words of the gateway. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** For the gateway log; absent where no reply came. */
  readonly requestId: string | undefined;
  /** Status of HTTP; 0 where no reply came. */
  readonly status: number;
  /** Whether the fault is the gateway's or of the way to it, and the same call may succeed later. */
  readonly isPassing: boolean;

  constructor(message: string, { requestId, status, isPassing = isFault(status) }: FailedReply) {
    super(message);
    this.requestId = requestId;
    this.status = status;
    this.isPassing = isPassing;
  }
}

interface FailedReply {
  readonly requestId?: string | undefined;
  readonly status: number;
  readonly isPassing?: boolean;
}

function isFault(status: number): boolean {
  return status === 0 || status >= 500;
}

/** Whether asking again may succeed; not for errors of the page itself. */
export function isPassing(err: unknown): boolean {
  return err instanceof CallError && err.isPassing;
}

/** The error of a person whose session has ended; not of one who has another session by now. */
export function isSignedOut(err: unknown): boolean {
  return err instanceof CallError && err.status === 401 && !err.isPassing;
}
