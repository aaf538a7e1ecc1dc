/** A reply that breaks HTTP/1.1 (RFC 9112), or that exceeds a bound of the client. */
export class MalformedReply extends Error {
  override readonly name: string = "MalformedReply";
  readonly code: string = "MALFORMED_REPLY";
}

/** A reply whose heads and trailers exceed the client's bound. */
export class ReplyHeadTooLarge extends MalformedReply {
  override readonly name = "ReplyHeadTooLarge";
  override readonly code = "REPLY_HEAD_TOO_LARGE";

  constructor(bytesMax: number) {
    super(`The reply's headers exceed ${bytesMax} bytes.`);
  }
}

/** Error of a call whose connection ended before its reply was complete. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  readonly code = "CONNECTION_LOST";
}

/** Error of a call whose reply, or the next part of it, did not arrive in time. */
export class ReplyLate extends Error {
  override readonly name = "ReplyLate";
  readonly code = "REPLY_LATE";
}

/** Error of a call to a client that was closed. */
export class ClientClosed extends Error {
  override readonly name = "ClientClosed";
  readonly code = "CLIENT_CLOSED";
}

/** Error of a call to one more origin than a client may have connections to. */
export class TooManyOrigins extends Error {
  override readonly name = "TooManyOrigins";
  readonly code = "TOO_MANY_ORIGINS";
}
