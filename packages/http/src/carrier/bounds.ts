/** Bounds of calls that share a connection; README.md of the package gives the reason for each value. */
export const carrierBounds = {
  /** Largest body of a carried request; a larger one would delay those behind it, and gets a separate connection. */
  requestBytesMax: 64 * 1024,
  /** Longest head of a carried request or reply, characters; each takes up to 2 bytes, since headers are Latin-1. */
  headLengthMax: 64 * 1024,
  /** Largest part of a reply in one frame, so that other replies are sent in between. */
  pieceBytesMax: 64 * 1024,
  /** Largest frame: the largest body with the largest head. */
  frameBytesMax: 256 * 1024,
  /** Most bytes of one reply in transit to a caller that has not taken them. */
  windowBytes: 256 * 1024,
  /**
   * Bytes of one reply that its caller takes before it sends a credit frame: one for each event of a stream would cost as much as
   * the event.
   */
  creditBytesMin: 64 * 1024,
  /** Most outstanding calls on one connection; further ones get separate connections. */
  inFlightMax: 10_000,
  /** Most bytes queued for a peer that does not read: beyond that a caller carries no further call, and a server reads none. */
  waitingBytesMax: 8 * 1024 * 1024,
  /** Interval of attempts to open a connection, and their time-out, milliseconds; calls use separate connections meanwhile. */
  openIntervalMs: 2_000,
  /** Longest time for a process to end a call on a separate connection, from the announcement. */
  endMs: 250,
  /** Time after which a connection without calls is closed, before a middlebox drops it. */
  idleMs: 20_000,
  /** Interval at which a caller checks whether a stopping process has ended its calls on other connections, before it closes this one. */
  neededIntervalMs: 20,
  /** Interval at which a caller checks for late calls, and a server checks its connections. */
  lookIntervalMs: 1_000,
  /** Longest time for a whole frame: an incomplete one occupies memory. */
  frameMs: 10_000,
  /** Time after which a server closes a connection without calls that its caller should have closed. */
  forgottenMs: 60_000,
  /** `forgottenMs` for a stopping server, from its drain frame. */
  drainedMs: 2_000,
  /** Silence after which TCP keep-alive probes the peer's machine. */
  keepAliveMs: 60_000,
} as const;

/** Protocol name in `Upgrade`. */
export const carrierProtocol = "gatehouse-calls";
