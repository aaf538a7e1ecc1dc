import {
  callCancelled,
  decodeErrorWire,
  encodeErrorWire,
  type ErrorDetails,
  GatewayError,
  internalError,
  isGatewayError,
  serviceUnavailable,
} from "@gatehouse/errors";
import type { CallOutcome } from "@gatehouse/peers";
import type { HotFailure } from "@gatehouse/proto/hot-stream";
import type { Logger } from "@gatehouse/telemetry";
import { ClientError, type Metadata, ServerError, Status } from "nice-grpc";

/** The trailer in which a GatewayError travels whole, so that its code survives the transport. */
const errorTrailer = "gatehouse-error-bin";

/** Longest error in a trailer, bytes. Trailers of some ten kilobytes break the connection, with every call on it. */
const errorBytesMax = 8 * 1024;
/** Length to which texts of a longer error are cut, and the status text always; code units. */
const textLengthMax = 1_000;
const statusTextLengthMax = 200;
const detailsMax = 4;

/** Turns an error of ours into a gRPC failure with the error in its trailers; texts that are too long for that are cut. */
export function toServerError(err: GatewayError, trailer: Metadata): ServerError {
  trailer.set(errorTrailer, toBoundedWire(err));
  return new ServerError(Status[err.profile.grpc], cut(err.message, statusTextLengthMax));
}

function toBoundedWire(err: GatewayError): Uint8Array {
  const wire = encodeErrorWire(err);
  return wire.byteLength <= errorBytesMax ? wire : encodeErrorWire(shortened(err));
}

/** A failed call of a hot stream, as its reply. */
export function toFailure(err: GatewayError | ServerError): HotFailure {
  if (err instanceof ServerError)
    return { status: err.code, message: cut(err.details, statusTextLengthMax), error: none };
  const message = cut(err.message, statusTextLengthMax);
  return { status: Status[err.profile.grpc], message, error: Buffer.from(toBoundedWire(err)) };
}

const none = Buffer.alloc(0);
const statuses: ReadonlyMap<number, Status> = new Map(
  Object.values(Status)
    .filter((status): status is Status => typeof status === "number")
    .map((status) => [status, status]),
);

/** Error that a failed call of a hot stream throws: the sender's error where it sent one, else one with its status. */
export function fromFailure(path: string, { status, message, error }: HotFailure): Error {
  const cause = new ClientError(path, statuses.get(status) ?? Status.UNKNOWN, message);
  const sent = error.byteLength === 0 ? undefined : decodeErrorWire(error, cause);
  if (sent === undefined) return cause;
  sentErrors.add(sent);
  return sent;
}

function shortened({ code, message, details, retryAfterSeconds }: GatewayError): GatewayError {
  const kept: ErrorDetails = Object.fromEntries(
    Object.entries(details)
      .slice(0, detailsMax)
      .map(([name, value]) => [name, typeof value === "string" ? cut(value, textLengthMax) : value]),
  );
  return new GatewayError(code, cut(message, textLengthMax), {
    details: kept,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}

/** Turns what a gRPC call threw into an error of ours: the sender's own where it sent one, else by status. */
export function fromClientError(err: unknown, trailer: Metadata | undefined): GatewayError {
  const bytes = trailer?.get(errorTrailer);
  const sent = bytes === undefined ? undefined : decodeErrorWire(bytes, err);
  if (sent !== undefined) sentErrors.add(sent);
  return sent ?? fromCallError(err);
}

/** Errors that a service has sent. */
const sentErrors = new WeakSet<GatewayError>();

/** Errors of calls that never left this process. */
const unsentErrors = new WeakSet<Error>();

/** Notes that the call which fails with this error was not sent. */
export function markUnsent(err: ClientError): ClientError {
  unsentErrors.add(err);
  return err;
}

/** Whether a call certainly never left this process, so that it may be repeated whatever it does. */
export function isUnsent(err: unknown): boolean {
  return isGatewayError(err) && err.cause instanceof ClientError && unsentErrors.has(err.cause);
}

/** Whether the called service has no such method: it is of an earlier version. */
export function isUnimplemented(err: unknown): boolean {
  return isGatewayError(err) && err.cause instanceof ClientError && err.cause.code === Status.UNIMPLEMENTED;
}

/** Turns what a call threw, here or there, into an error of ours. An aborted call was cancelled by its caller. */
export function fromCallError(err: unknown): GatewayError {
  if (isGatewayError(err)) return err;
  if (isAbortError(err)) return callCancelled(err);
  // The reason of `AbortSignal.timeout`, by which callers bound a call.
  if (err instanceof Error && err.name === "TimeoutError") return deadlineExceeded(err);
  if (err instanceof ClientError || err instanceof ServerError) return fromStatus(err);
  return internalError(err);
}

/** A caller that gives up sees its own abort: `CANCELLED` from outside is the other side being shut down. */
const unavailableStatuses: ReadonlySet<Status> = new Set([
  Status.CANCELLED,
  Status.RESOURCE_EXHAUSTED,
  Status.UNAVAILABLE,
]);

function fromStatus(err: ClientError | ServerError): GatewayError {
  if (err.code === Status.DEADLINE_EXCEEDED) return deadlineExceeded(err);
  // A repeated call would fail again; grpc-js says so in words only.
  if (err.code === Status.RESOURCE_EXHAUSTED && /message larger than max/.test(err.details)) {
    return new GatewayError("body_too_large", "The call's message is too large.", { cause: err });
  }
  if (unavailableStatuses.has(err.code)) {
    return serviceUnavailable(err);
  }
  return internalError(err);
}

/** Outcome that an error of a call means for its peer: a service that sent an error of ours has answered. */
export function outcomeOf(err: unknown): CallOutcome {
  if (!isGatewayError(err) || !(err.cause instanceof ClientError)) return "answered";
  if (err.code === "deadline_exceeded") return "late";
  return err.code === "unavailable" && err.cause.code === Status.UNAVAILABLE && !sentErrors.has(err)
    ? "unreachable"
    : "answered";
}

/** Error of a call that is late. */
export function deadlineExceeded(cause?: unknown): GatewayError {
  return new GatewayError("deadline_exceeded", "A service did not answer in time.", { cause });
}

/** Whether an error says that its caller gave up (nice-grpc throws `AbortError`, the platform a DOMException of that name). */
export function isAbortError(err: unknown): boolean {
  return err instanceof Error && err.name === "AbortError";
}

/** Milliseconds to a deadline, which is a time of day or already a duration; never negative. */
export function remainingMs(deadline: Date | number): number {
  return Math.max(0, deadline instanceof Date ? deadline.getTime() - Date.now() : deadline);
}

/** Expected refusals are the caller's to report; only what is not recognised is logged here, with its cause. */
export function logFailure(log: Logger, err: GatewayError, method: string): void {
  if (err.code !== "internal") return;
  log.error({ err: err.cause ?? err, method }, "A gRPC call failed.");
}
