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
import { messageBytesMax } from "./binding.ts";

/** Trailer with a whole GatewayError, so that its code survives the transport. */
const errorTrailer = "gatehouse-error-bin";

/** Largest error in a trailer, bytes. Trailers above about 10 KB break the connection, with every call on it. */
const errorBytesMax = 8 * 1024;
/** Length to which texts of a larger error are cut, and the status text always; code units. */
const textLengthMax = 1_000;
const statusTextLengthMax = 200;
const detailsMax = 4;

/** Converts a GatewayError to a gRPC failure with the error in its trailers; overlong texts are cut. */
export function toServerError(err: GatewayError, trailer: Metadata): ServerError {
  trailer.set(errorTrailer, toBoundedWire(err));
  return new ServerError(Status[err.profile.grpc], cut(err.message, statusTextLengthMax));
}

/** Encodes the error that a caller got instead of the reply of a cancelled call; {@link fromEnd} decodes it. */
export function toEnd(err: GatewayError): Buffer {
  return Buffer.from(toBoundedWire(err));
}

/** Error of an ended call; undefined if it cannot be read. */
export function fromEnd(error: Uint8Array): GatewayError | undefined {
  return decodeErrorWire(error, undefined);
}

function toBoundedWire(err: GatewayError): Uint8Array {
  const wire = encodeErrorWire(err);
  return wire.byteLength <= errorBytesMax ? wire : encodeErrorWire(shortened(err));
}

/** Converts an error to the reply of a failed call on a hot stream. */
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

/** Error of a failed call on a hot stream: the sender's error if sent, else one by status. */
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

/** Converts the error of a gRPC call to a GatewayError: the sender's if sent, else one by status. */
export function fromClientError(err: unknown, trailer: Metadata | undefined): GatewayError {
  const bytes = trailer?.get(errorTrailer);
  const sent = bytes === undefined ? undefined : decodeErrorWire(bytes, err);
  if (sent !== undefined) sentErrors.add(sent);
  return sent ?? fromCallError(err);
}

const sentErrors = new WeakSet<GatewayError>();

/** Errors of calls that never left this process. */
const unsentErrors = new WeakSet<Error>();

/** Marks an error as that of a call that was not sent. */
export function markUnsent(err: ClientError): ClientError {
  unsentErrors.add(err);
  return err;
}

/** Whether a call certainly never left this process, so that any method may be repeated. */
export function isUnsent(err: unknown): boolean {
  return isGatewayError(err) && err.cause instanceof ClientError && unsentErrors.has(err.cause);
}

/** Whether the called service, an earlier version, lacks the method. */
export function isUnimplemented(err: unknown): boolean {
  return isGatewayError(err) && err.cause instanceof ClientError && err.cause.code === Status.UNIMPLEMENTED;
}

/** Converts the error of a remote or local call to a GatewayError. An aborted call was cancelled by its caller. */
export function fromCallError(err: unknown): GatewayError {
  if (isGatewayError(err)) return err;
  if (isAbortError(err)) return callCancelled(err);
  // Reason of `AbortSignal.timeout`, with which callers bound a call.
  if (err instanceof Error && err.name === "TimeoutError") return deadlineExceeded(err);
  if (err instanceof ClientError || err instanceof ServerError) return fromStatus(err);
  return internalError(err);
}

/**
 * Statuses of an unavailable service. A caller that aborts sees its own abort, so `CANCELLED` from the other side means that it
 * is shutting down.
 */
const unavailableStatuses: ReadonlySet<Status> = new Set([
  Status.CANCELLED,
  Status.RESOURCE_EXHAUSTED,
  Status.UNAVAILABLE,
]);

function fromStatus(err: ClientError | ServerError): GatewayError {
  if (err.code === Status.DEADLINE_EXCEEDED) return deadlineExceeded(err);
  // Not worth repeating; grpc-js marks it by its message only.
  if (err.code === Status.RESOURCE_EXHAUSTED && /message larger than max/.test(err.details)) {
    return new GatewayError(
      "body_too_large",
      `The message of a call between services is larger than ${messageBytesMax} bytes. Send less at once.`,
      { cause: err },
    );
  }
  if (unavailableStatuses.has(err.code)) {
    return serviceUnavailable(err);
  }
  return internalError(err);
}

/** Effect of a call's error on its peer's state: a service that sent a GatewayError has answered. */
export function outcomeOf(err: unknown): CallOutcome {
  if (!isGatewayError(err) || !(err.cause instanceof ClientError)) return "answered";
  if (err.code === "deadline_exceeded") return "late";
  return err.code === "unavailable" && err.cause.code === Status.UNAVAILABLE && !sentErrors.has(err)
    ? "unreachable"
    : "answered";
}

/** Error of a call to another service whose deadline has passed; the called service may still complete the work. */
export function deadlineExceeded(cause?: unknown): GatewayError {
  return new GatewayError("deadline_exceeded", "A service did not answer in time.", { cause });
}

/** Whether an error is an abort by the caller (nice-grpc throws `AbortError`, the platform a DOMException of that name). */
export function isAbortError(err: unknown): boolean {
  return err instanceof Error && err.name === "AbortError";
}

/** Milliseconds to a deadline, given as a point in time or a duration; never negative. */
export function remainingMs(deadline: Date | number): number {
  return Math.max(0, deadline instanceof Date ? deadline.getTime() - Date.now() : deadline);
}

/** Logs unrecognised errors with their cause; expected refusals are reported by the caller. */
export function logFailure(log: Logger, err: GatewayError, method: string): void {
  if (err.code !== "internal") return;
  log.error({ err: err.cause ?? err, method }, "A gRPC call failed.");
}
