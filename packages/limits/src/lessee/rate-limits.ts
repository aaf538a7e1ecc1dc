import { andThen, partStopMsMax } from "@gatehouse/async";
import { isGatewayError } from "@gatehouse/errors";
import { isUnlimited, type TokenPrincipal } from "@gatehouse/principal";
import type { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import type { RpcClient } from "@gatehouse/rpc";
import type { Logger } from "@gatehouse/telemetry";
import type { Admission, TightestWindow } from "../decisions/allowance.ts";
import { allowanceBounds } from "../decisions/bounds.ts";
import { allowancesUnavailable, rateLimited } from "../decisions/index.ts";
import { KnownUsers, type UserName } from "../decisions/known-users.ts";
import { fromLeaseResponse, toLeaseRequest } from "../messages.ts";
import { type Clock, DatabaseClock, monotonicClock } from "./database-clock.ts";
import { LedgerOutage } from "./ledger-outage.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** The ledger of rate limits, in this process or another. */
export type LedgerClient = RpcClient<typeof AllowanceServiceDefinition>;

/** Rate limits of a process without the ledger's tables, counted in memory against leases from the ledger. */
export interface RateLimits {
  /**
   * Counts one request in the windows of its project, its token and the user that it names, or in none where a limit is reached;
   * without a promise where the leases are warm. Undefined for a token without limits.
   * @throws GatewayError `unavailable` where the ledger is needed and unreachable.
   */
  admit(principal: TokenPrincipal, user: UserName): Admission | undefined | Promise<Admission | undefined>;
  /**
   * Counts as {@link RateLimits.admit}, and returns the tightest window.
   * @throws GatewayError `rate_limited` where a limit is reached, and those of `admit`.
   */
  count(principal: TokenPrincipal, user: UserName): TightestWindow | undefined | Promise<TightestWindow | undefined>;
  /** Starts to return unused requests, every second while there are any. */
  start(): void;
  /** Returns all leases, within a bound; those of a killed process end with their windows. */
  stop(): Promise<void>;
}

/** Creates the limits of one process, which hold no lease before the first request. */
export function createRateLimits(
  /** Client whose connection bounds the time of each renewal. */
  ledger: LedgerClient,
  log: Logger,
  /** Epoch milliseconds, unaffected by corrections of the system's clock. */
  clock: Clock = monotonicClock,
): RateLimits {
  let stopBy: Date | undefined;
  const users = new KnownUsers();
  const limiter = new RateLimiter({
    store: {
      async renew(asks) {
        try {
          return fromLeaseResponse(
            await ledger.lease(toLeaseRequest(asks), stopBy === undefined ? {} : { deadline: stopBy }),
          );
        } catch (err) {
          throw isLate(err) ? allowancesUnavailable(err) : err;
        }
      },
    },
    clock: new DatabaseClock(clock),
    log,
    users,
    outage: new LedgerOutage(clock),
  });
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  const rest = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const tick = () => {
    if (limiter.leaseCount === 0 && users.count === 0) rest();
    else void limiter.tick();
  };
  const admit: RateLimits["admit"] = (principal, user) => {
    if (isUnlimited(principal)) return undefined;
    if (isStarted) timer ??= setInterval(tick, allowanceBounds.tickIntervalMs).unref();
    return limiter.admit(principal, user);
  };
  return {
    admit,
    count: (principal, user) => andThen(admit(principal, user), judge),
    start() {
      isStarted = true;
    },
    async stop() {
      isStarted = false;
      rest();
      stopBy = new Date(Date.now() + partStopMsMax);
      await limiter.stop();
    },
  };
}

function judge(admission: Admission | undefined): TightestWindow | undefined {
  if (admission === undefined) return undefined;
  if (admission.admitted) return admission.tightest;
  throw rateLimited(admission);
}

function isLate(err: unknown): boolean {
  return isGatewayError(err) && err.code === "deadline_exceeded";
}
