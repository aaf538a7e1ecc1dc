import { decodeErrorWire, encodeErrorWire, GatewayError } from "@gatehouse/errors";
import { ClientError, Metadata, ServerError, Status } from "nice-grpc";
import { isAbortError } from "./abort.ts";

/** The trailer in which a GatewayError travels whole, so that its code survives the hop. */
const errorTrailer = "gatehouse-error-bin";

/** Turns an error of ours into a gRPC failure with the error in its trailers. */
export function toServerError(err: GatewayError, trailer: Metadata): ServerError {
  trailer.set(errorTrailer, encodeErrorWire(err));
  return new ServerError(Status[err.profile.grpc], err.message);
}

/** Turns what a gRPC call threw into an error of ours: the sender's own where it sent one, else by status. */
export function fromClientError(err: unknown, trailer: Metadata | undefined): GatewayError {
  const bytes = trailer?.get(errorTrailer);
  const sent = bytes === undefined ? undefined : decodeErrorWire(bytes, err);
  if (sent !== undefined) return sent;
  if (isAbortError(err)) return new GatewayError("cancelled", "The call was cancelled.", { cause: err });
  if (!(err instanceof ClientError)) return new GatewayError("internal", "Unexpected error.", { cause: err });
  return fromStatus(err);
}

function fromStatus(err: ClientError): GatewayError {
  switch (err.code) {
    case Status.DEADLINE_EXCEEDED:
      return new GatewayError("deadline_exceeded", "A service did not answer in time.", { cause: err });
    case Status.CANCELLED:
      return new GatewayError("cancelled", "The call was cancelled.", { cause: err });
    case Status.UNAVAILABLE:
    case Status.RESOURCE_EXHAUSTED:
      return new GatewayError("unavailable", "A service is not available.", { cause: err, retryAfterSeconds: 1 });
    default:
      return new GatewayError("internal", "Unexpected error.", { cause: err });
  }
}
