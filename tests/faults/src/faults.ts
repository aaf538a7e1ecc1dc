import { lapse } from "@gatehouse/async/testing";
import { type Product, processNames, type ServiceName } from "@gatehouse/e2e";
import { fillStreams } from "@gatehouse/events/testing";
import type { Clocks } from "./clocks.ts";
import type { Servers } from "./servers.ts";
import type { Tally } from "./tally.ts";

/** A fault that is injected under load. */
export interface Fault {
  readonly name: string;
  /** Injects the fault and repairs it; resolves when ended processes are ready again. */
  readonly make: (at: Surroundings) => Promise<void>;
  /** Condition to assert; absent: the fault is only measured. */
  readonly bar?: (tally: Tally) => boolean;
  /** Injected only if `--only` names it. */
  readonly isLong?: boolean;
}

export interface Surroundings {
  readonly product: Product;
  readonly servers: Servers;
  readonly clocks: Clocks;
}

const frozenMs = 4_000;
const awayMs = 4_000;

const noneFailed = (tally: Tally): boolean => tally.failed === 0 && tally.brokenStreams === 0;

/** A call held by a killed process may have had an effect, so it is not repeated. */
const noMoreThanHeld = (tally: Tally): boolean => tally.failed + tally.brokenStreams <= tally.inFlightAtFault;

/** Services whose calls are repeated at another process after a kill, except started streams. */
const resent: ReadonlySet<ServiceName> = new Set(["chat", "guardrail", "mcp-bridge", "api-proxy"]);

const noneButStreams = (tally: Tally): boolean => tally.failed === 0 && noMoreThanHeld(tally);

/** Every fault, for a number of processes per service. */
export function listFaults(replicas: number): readonly Fault[] {
  const ofServices = processNames.flatMap((name, at) => faultsOf(name, { at, replicas }));
  const clocks = (["router", "chat"] as const).flatMap((name) => [clockSteps(name, 1), clockSteps(name, -1)]);
  return [...ofServices, natsAway, natsWiped, natsFull, ...clocks, postgresKilled, postgresFailedOver, postgresAway];
}

function faultsOf(name: ServiceName, { at, replicas }: { readonly at: number; readonly replicas: number }): Fault[] {
  return [
    {
      name: `${name} SIGTERM`,
      make: async ({ product }) => await product.restart(at),
      bar: noneFailed,
    },
    {
      name: `${name} SIGKILL`,
      make: async ({ product }) => await product.restart(at, "SIGKILL"),
      ...(replicas === 1 ? {} : { bar: resent.has(name) ? noneButStreams : noMoreThanHeld }),
    },
    {
      name: `${name} SIGSTOP ${frozenMs / 1_000} s`,
      async make({ product }) {
        const child = product.processes[at]?.process;
        child?.kill("SIGSTOP");
        await lapse(frozenMs, "the process is frozen");
        child?.kill("SIGCONT");
      },
    },
  ];
}

const natsAway: Fault = {
  name: `NATS killed ${awayMs / 1_000} s`,
  async make({ servers: { nats } }) {
    await nats?.kill();
    await lapse(awayMs, "NATS is away");
    await nats?.start();
  },
  bar: noneFailed,
};

const natsWiped: Fault = {
  name: "NATS wiped",
  async make({ servers: { nats } }) {
    await nats?.kill();
    await nats?.wipe();
    await nats?.start();
  },
  bar: noneFailed,
};

const fullMs = 4_000;

/** Messages wait with their publishers meanwhile. */
const natsFull: Fault = {
  name: `NATS full ${fullMs / 1_000} s`,
  async make({ servers: { nats } }) {
    if (nats === undefined) return;
    const giveRoom = await fillStreams(nats.url);
    await lapse(fullMs, "NATS is full");
    await giveRoom();
  },
  bar: noneFailed,
};

/** Within the tolerated clock difference between services (docs/operations.md). */
const clockStepMs = 20_000;
const clockWrongMs = 4_000;

function clockSteps(name: ServiceName, sign: 1 | -1): Fault {
  return {
    name: `${name} clock ${sign > 0 ? "+" : "−"}${clockStepMs / 1_000} s`,
    async make({ product, clocks }) {
      const pid = product.processes[processNames.indexOf(name)]?.process.pid;
      if (pid === undefined) throw new Error(`${name} does not run.`);
      await clocks.set(pid, sign * clockStepMs);
      await lapse(clockWrongMs, "the clock is wrong");
      await clocks.set(pid, 0);
    },
    bar: noneFailed,
  };
}

/** Kinds of calls that inherently need Postgres, or a budget without a large lease. */
const needPostgres = /^(?:change|control plane|metered) /;

const onlyWhatNeedsPostgres = ({ failures, brokenStreams }: Tally): boolean =>
  brokenStreams === 0 && [...failures.keys()].every((of) => needPostgres.test(of));

const postgresKilled: Fault = {
  name: "Postgres killed",
  async make({ servers }) {
    await servers.crashPostgres();
    await servers.restartPostgres();
  },
  bar: onlyWhatNeedsPostgres,
};

const readOnlyMs = 2_000;

const postgresFailedOver: Fault = {
  name: "Postgres failed over",
  make: async ({ servers }) => await servers.failOverPostgres(readOnlyMs),
  bar: onlyWhatNeedsPostgres,
};

const postgresAwayMs = 60_000;

/** Longer than a database's failover: projects with a grace period go on meanwhile. */
const postgresAway: Fault = {
  name: `Postgres away ${postgresAwayMs / 1_000} s`,
  isLong: true,
  async make({ servers }) {
    await servers.crashPostgres();
    await lapse(postgresAwayMs, "Postgres is away");
    await servers.restartPostgres();
  },
  bar: onlyWhatNeedsPostgres,
};
