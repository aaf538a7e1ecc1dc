/** Bounds of the allowance ledger; docs/allowances.md gives the reason for each value. */
export const allowanceBounds = {
  /** Life of a budget lease in the database without a renewal. */
  leaseLifeMs: 10_000,
  /** Time before its end in the database at which a replica stops spending a budget lease. */
  leaseMarginMs: 1_000,
  /** Remaining life below which a budget lease in use is renewed. */
  leaseRenewBelowMs: 6_000,
  /** Interval at which leases are renewed and surplus is returned. */
  tickIntervalMs: 1_000,
  /** Time without use after which a lease is returned and forgotten. */
  idleMs: 10_000,
  /** `idleMs` of a project that goes on without the ledger: its leases must still be warm in an outage. */
  idleWithGraceMs: 60_000,
  /** Interval of the search for expired leases of dead replicas. */
  reclaimIntervalMs: 5_000,
  /** Interval of the deletion of ended windows: users create many. */
  windowSweepIntervalMs: 60_000,
  /** Interval of the deletion of all other expired rows. */
  sweepIntervalMs: 3_600_000,
  /** Time for which a refusal is repeated before the database is asked again. */
  refusalHoldMs: 250,
  /** Longest wait of a call, which would be refused otherwise, for the answers of replicas that hold parts of its budget. */
  recallWaitMs: 200,
  /** Least time between a failure of the database and the next request to it. */
  outageHoldMs: 250,
  /** Fraction (one in this many) of what is left that a lease may take beyond the need of waiting calls. */
  leaseShare: 32,
  /** Requests leased ahead for a subject of unknown rate. */
  windowUnitsInitial: 8,
  /** Calls whose money is leased ahead for an endpoint of unknown rate. */
  callsAhead: 8,
  /** Most requests leased ahead. */
  windowUnitsMax: 100_000,
  renewalRowsMax: 500,
  /** Longest wait of a call for its lease, not counting time in which the process did not run. */
  refillTimeoutMs: 1_500,
  statementTimeoutMs: 5_000,
  /** Most refills that one call waits for, in sequence. */
  refillAttemptsMax: 16,
  /** Most leases of one replica: rate-limit windows, and budgets of endpoints. */
  leasesMax: 100_000,
  /** Users of one token with separate limits in one replica; further ones share those of one user. */
  usersOfTokenMax: 5_000,
  /**
   * Users of all tokens with separate limits, shared evenly between the projects that need more; half of the leases remain for
   * everything else.
   */
  usersMax: 50_000,
  /** Usage rows in memory while the database is away; further ones go to the spill file. */
  usageRowsInMemoryMax: 10_000,
  /** Usage rows in spill files; beyond it, new calls are refused. */
  usageRowsSpilledMax: 1_000_000,
  /** Usage rows in one transaction; as many are written without waiting for `usageFlushIntervalMs`. */
  usageBatchRowsMax: 500,
  /** Longest stay of a usage row in memory while the database answers. */
  usageFlushIntervalMs: 250,
  /** Age at which an unsettled reservation is settled as overdue; a later settlement corrects it. */
  reservationLifeMs: 3_600_000,
  /** Length of texts in a usage row. */
  usageTextLengthMax: 200,
  /** Users with a separate row in a report. */
  reportedUsersMax: 500,
  /** Months for which usage rows are kept, the current one included; endpoints' ledgers are never deleted. */
  usageMonthsKept: 25,
  /** Months for which users' ledgers and their rows are kept, the current one included. */
  userMonthsKept: 2,
} as const;
