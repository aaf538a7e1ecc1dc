import { type CallContext, Metadata } from "nice-grpc";
import type { LocalCall } from "./local-call.ts";

type GivenMetadata = Metadata | Readonly<Record<string, string>> | undefined;

/** Context of a call, created on first use: most services do not use it. */
export class LazyContext implements CallContext {
  readonly peer: string;
  readonly #given: GivenMetadata;
  readonly #call: LocalCall;
  #metadata: Metadata | undefined;
  #header: Metadata | undefined;
  #trailer: Metadata | undefined;

  constructor(peer: string, metadata: GivenMetadata, call: LocalCall) {
    this.peer = peer;
    this.#given = metadata;
    this.#call = call;
  }

  get metadata(): Metadata {
    return (this.#metadata ??= Metadata(this.#given));
  }

  get header(): Metadata {
    return (this.#header ??= Metadata());
  }

  get trailer(): Metadata {
    return (this.#trailer ??= Metadata());
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  sendHeader(): void {
    // A call within the process has no headers except those of its reply.
  }
}
