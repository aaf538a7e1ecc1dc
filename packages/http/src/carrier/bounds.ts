/** Every bound of calls that share a connection; README.md of the package says why each has its value. */
export const carrierBounds = {
  /** Largest body of a request that is carried; a larger one would hold up those behind it, and gets a connection for itself. */
  requestBytesMax: 64 * 1024,
  /** Longest head of a request that is carried, or of its reply, characters; each takes up to 2 bytes, since a header has none beyond Latin-1. */
  headLengthMax: 64 * 1024,
  /** Largest part of a reply in one frame: those of other replies have their turn in between. */
  pieceBytesMax: 64 * 1024,
  /** Largest frame: the largest body with the largest head. */
  frameBytesMax: 256 * 1024,
  /** Bytes of one reply that may be on their way to a caller who has not taken them. */
  windowBytes: 256 * 1024,
  /** Bytes of one reply that its caller has taken before it says so: a frame for each event of a stream would cost as much as the event. */
  creditBytesMin: 64 * 1024,
  /** Calls on one connection whose replies are outstanding; a caller gives further ones connections for themselves. */
  inFlightMax: 10_000,
  /** Bytes that wait for a peer which takes nothing: beyond that a caller carries no further call, and a server reads none. */
  waitingBytesMax: 8 * 1024 * 1024,
  /** From one attempt to open a connection to the next, milliseconds, and longest attempt; calls have connections for themselves meanwhile. */
  openIntervalMs: 2_000,
  /** Time after which a connection without calls is ended, before a device in between forgets it. */
  idleMs: 20_000,
  /** Interval at which a caller looks whether the calls on other connections to a process that stops have ended: it waits for this one. */
  neededIntervalMs: 20,
  /** Interval at which a caller looks for calls that are late, and a server for connections. */
  lookIntervalMs: 1_000,
  /** Longest time for a frame to come whole: its beginning takes up memory. */
  frameMs: 10_000,
  /** Time after which a server ends a connection without calls whose caller should have ended it. */
  forgottenMs: 60_000,
  /** Longest such time for a server that stops, from its request for no further call. */
  drainedMs: 2_000,
  /** From the last byte of a connection to the question whether its peer's machine is still there. */
  keepAliveMs: 60_000,
} as const;

/** The protocol, as `Upgrade` names it. */
export const carrierProtocol = "gatehouse-calls";
