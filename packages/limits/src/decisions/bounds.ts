/** Every bound of the allowance ledger; docs/allowances.md says why each has its value. */
export const allowanceBounds = {
  /** Time for which a budget lease holds in the database without a renewal. */
  leaseLifeMs: 10_000,
  /** A replica stops spending a budget lease this long before the database takes it back. */
  leaseMarginMs: 1_000,
  /** A held budget lease is renewed when it has less than this left. */
  leaseRenewBelowMs: 6_000,
  /** Interval at which leases are renewed and surplus is handed back. */
  tickIntervalMs: 1_000,
  /** A lease that was not used for this long is handed back whole and forgotten. */
  idleMs: 10_000,
  /** Bound of `idleMs` for a project whose calls go on while the ledger is away: what it was used for must not be cold then. */
  idleWithGraceMs: 60_000,
  /** Interval at which expired leases of dead replicas are looked for. */
  reclaimIntervalMs: 5_000,
  /** Interval at which windows that have ended are deleted: users make many. */
  windowSweepIntervalMs: 60_000,
  /** Interval at which all else that is over is deleted. */
  sweepIntervalMs: 3_600_000,
  /** A refusal is repeated for this long before the database is asked again. */
  refusalHoldMs: 250,
  /** After a failure of the database, it is asked again no sooner than this. */
  outageHoldMs: 250,
  /** Beyond what calls wait for, a lease takes at most one part in this many of what is left. */
  leaseShare: 32,
  /** Requests leased ahead for a subject whose rate is not known yet. */
  windowUnitsInitial: 8,
  /** Calls whose money is leased ahead for an endpoint whose rate is not known yet. */
  callsAhead: 8,
  /** Requests leased ahead at most. */
  windowUnitsMax: 100_000,
  /** Keys in one renewal. */
  renewalRowsMax: 500,
  /** Longest wait of a call for its lease. */
  refillTimeoutMs: 1_500,
  /** Longest single statement of this ledger. */
  statementTimeoutMs: 5_000,
  /** Refills one call may wait for, one after the other. */
  refillAttemptsMax: 16,
  /** Rate-limit windows, and endpoints with a budget, that one replica holds leases for. */
  leasesMax: 100_000,
  /** Users of one token whose limits one replica keeps at a time; further ones count as one user. */
  usersOfTokenMax: 5_000,
  /** Users of all tokens, likewise, shared evenly between projects that want more; leaves as many leases for all else. */
  usersMax: 50_000,
  /** Usage rows kept in memory while the database is away; beyond, they go to the spill file. */
  usageRowsInMemoryMax: 10_000,
  /** Usage rows kept in spill files; beyond, new calls are refused. */
  usageRowsSpilledMax: 1_000_000,
  /** Usage rows in one statement. */
  usageBatchRowsMax: 500,
  /** Longest stay of a usage row in memory while the database answers. */
  usageFlushIntervalMs: 250,
  /** A reservation that was not settled for this long is given up; a later settlement still counts. */
  reservationLifeMs: 3_600_000,
  /** Length of texts in a usage row. */
  usageTextLengthMax: 200,
  /** Users with a separate row in a report. */
  reportedUsersMax: 500,
  /** Months of usage rows that are kept, the current one included; ledgers are never deleted. */
  usageMonthsKept: 25,
  /** Months of users' ledgers and of their rows that are kept, the current one included. */
  userMonthsKept: 2,
} as const;
