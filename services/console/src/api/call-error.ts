/** A call that was refused or has failed, in the words of the gateway. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** For the gateway log; absent where no reply came. */
  readonly requestId: string | undefined;
  /** Of HTTP; 0 where no reply came. */
  readonly status: number;

  constructor(message: string, reply: { readonly requestId?: string | undefined; readonly status: number }) {
    super(message);
    this.requestId = reply.requestId;
    this.status = reply.status;
  }
}

/** The error of a person whose session has ended. */
export function isSignedOut(err: unknown): boolean {
  return err instanceof CallError && err.status === 401;
}
