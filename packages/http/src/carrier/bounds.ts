/** Every bound of calls that share a connection; README.md of the package says why each has its value. */
export const carrierBounds = {
  /** Largest body of a request that is carried; a larger one would hold up those behind it, and gets a connection for itself. */
  requestBytesMax: 64 * 1024,
  /** Longest head of a request that is carried, characters; each takes up to 2 bytes, since a header has none beyond Latin-1. */
  headLengthMax: 64 * 1024,
  /** Largest part of a reply in one frame: those of other replies have their turn in between. */
  pieceBytesMax: 64 * 1024,
  /** Largest frame: the largest body with the largest head. */
  frameBytesMax: 256 * 1024,
  /** Bytes of one reply that may be on their way to a caller who has not taken them. */
  windowBytes: 256 * 1024,
  /** Calls on one connection whose replies are outstanding; a caller gives further ones connections for themselves. */
  inFlightMax: 10_000,
  /** Bytes that wait for a peer which takes nothing: beyond that a caller carries no further call, and a server reads none. */
  waitingBytesMax: 8 * 1024 * 1024,
  /** From one attempt to open a connection to the next, milliseconds, and longest attempt; calls have connections for themselves meanwhile. */
  openIntervalMs: 2_000,
  /** Time after which a connection without calls is ended, before a device in between forgets it. */
  idleMs: 20_000,
  /** Interval at which a caller looks for calls that are late. */
  lookIntervalMs: 1_000,
} as const;

/** The protocol, as `Upgrade` names it. */
export const carrierProtocol = "gatehouse-calls";
