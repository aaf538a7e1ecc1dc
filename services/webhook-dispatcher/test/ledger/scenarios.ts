import { setTimeout as delay } from "node:timers/promises";
import { lapse } from "@gatehouse/async/testing";
import { type Dispatcher, type DispatcherOptions, startDispatcher } from "./dispatcher.ts";
import { type Ledger, type LedgerReport, openLedger, type Store } from "./ledger.ts";
import { type Behaviour, behaviours } from "./receivers.ts";

/** Arrivals after the last fault that the ledger checks. */
const arrivalsAfterwards = 50;

export interface ScenarioOptions {
  readonly databaseUrl: string;
  /** Number of faults. */
  readonly rounds: number;
}

export interface ScenarioReport extends LedgerReport {
  readonly faults: number;
}

/** Deliveries in flight per process, and so uncertain when it dies. */
const concurrencyMax = 8;
const settleTimeoutMs = 20_000;

interface Running {
  readonly ledger: Ledger;
  readonly start: (options?: Partial<DispatcherOptions>) => Promise<Dispatcher>;
  /** Sends events to the present dispatcher, a few at a time, until stopped. */
  readonly feed: (store: Store) => { stop(): Promise<void> };
}

/** Opens a ledger, runs a scenario on it, ends every process, and checks all invariants. */
async function withLedger(
  databaseUrl: string,
  kinds: readonly Behaviour[],
  run: (running: Running) => Promise<number>,
): Promise<ScenarioReport> {
  const ledger = await openLedger({ databaseUrl, behaviours: kinds });
  const started: Dispatcher[] = [];
  const start = async (options: Partial<DispatcherOptions> = {}) => {
    const dispatcher = await startDispatcher({ databaseUrl, keyring: ledger.keyring, ...options });
    started.push(dispatcher);
    return dispatcher;
  };
  try {
    const faults = await run({ ledger, start, feed: (store) => startFeeding(ledger, store) });
    await ledger.settle(settleTimeoutMs);
    const report = await ledger.check();
    const inDoubtMax = faults * kinds.length * concurrencyMax;
    const tooMany = report.interrupted > inDoubtMax ? [`${report.interrupted} interrupted, at most ${inDoubtMax}`] : [];
    return { ...report, faults, violations: [...report.violations, ...tooMany] };
  } finally {
    await Promise.all(started.map(async (dispatcher) => await dispatcher.kill()));
    await ledger.stop();
  }
}

/** From `from` up to `span` more: differs by round, and is the same in each run. */
function seeded(round: number, from: number, span: number): number {
  return from + ((round * 7_919 + 131) % span);
}

/** Waits for a number of further arrivals: deliveries are in progress. */
async function untilArrived({ receivers }: Ledger, more: number): Promise<void> {
  const goal = receivers.arrivals.length + more;
  while (receivers.arrivals.length < goal) await delay(5);
}

const feedersCount = 4;
const feedPauseMs = 15;

function startFeeding(ledger: Ledger, store: Store): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const feeder = async () => {
    while (!stopping.signal.aborted) {
      await ledger.feed(ledger.newEvent(), store);
      await delay(feedPauseMs);
    }
  };
  const feeders = Array.from({ length: feedersCount }, feeder);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(feeders);
    },
  };
}

/** Kills the process repeatedly at one step of a delivery, under load. */
export async function killAt(place: string, { databaseUrl, rounds }: ScenarioOptions): Promise<ScenarioReport> {
  return await withLedger(databaseUrl, behaviours, async ({ ledger, start, feed }) => {
    let current = await start({ failpoint: `${place}:10` });
    const feeding = feed(async (messages) => await current.store(messages));
    for (let round = 1; round <= rounds; round++) {
      await untilDead(current);
      current = await start(round === rounds ? {} : { failpoint: `${place}:${5 + round * 7}` });
    }
    await untilArrived(ledger, arrivalsAfterwards);
    await feeding.stop();
    return rounds;
  });
}

/** Kills the process at seeded times, under load. */
export async function killAtRandom({ databaseUrl, rounds }: ScenarioOptions): Promise<ScenarioReport> {
  return await withLedger(databaseUrl, behaviours, async ({ ledger, start, feed }) => {
    let current = await start();
    const feeding = feed(async (messages) => await current.store(messages));
    for (let round = 0; round < rounds; round++) {
      await untilArrived(ledger, seeded(round, 30, 90));
      await current.kill();
      current = await start();
    }
    await untilArrived(ledger, arrivalsAfterwards);
    await feeding.stop();
    return rounds;
  });
}

/** Pauses one of two processes for longer than its leases: its deliveries are taken over meanwhile. */
export async function standStill({ databaseUrl, rounds }: ScenarioOptions): Promise<ScenarioReport> {
  return await withLedger(databaseUrl, behaviours, async ({ ledger, start, feed }) => {
    const [first, second] = await Promise.all([start(), start()]);
    const feeding = feed(async (messages) => await second.store(messages));
    for (let round = 0; round < rounds; round++) {
      await untilArrived(ledger, 60);
      first.process.kill("SIGSTOP");
      await lapse(4_500, "longer than the leases of a process that stands still");
      first.process.kill("SIGCONT");
    }
    await untilArrived(ledger, arrivalsAfterwards);
    await feeding.stop();
    return rounds;
  });
}

/** Two and three processes on one database, one of which is killed and replaced. */
export async function several({ databaseUrl, rounds }: ScenarioOptions): Promise<ScenarioReport> {
  return await withLedger(databaseUrl, behaviours, async ({ ledger, start, feed }) => {
    const dispatchers = await Promise.all([start(), start(), start()]);
    let turn = 0;
    const feeding = feed(
      async (messages) => (await dispatchers[turn++ % dispatchers.length]?.store(messages)) ?? false,
    );
    for (let round = 0; round < rounds; round++) {
      await untilArrived(ledger, 80);
      await dispatchers[round % dispatchers.length]?.kill();
      dispatchers[round % dispatchers.length] = await start();
    }
    await feeding.stop();
    return rounds;
  });
}

/** Crashes a database server, and starts it again. */
export interface DatabaseServer {
  crash(): Promise<void>;
}

/** Crashes the database server repeatedly under load. The dispatcher continues. */
export async function crashDatabase(
  server: DatabaseServer,
  { databaseUrl, rounds }: ScenarioOptions,
): Promise<ScenarioReport> {
  return await withLedger(databaseUrl, behaviours, async ({ ledger, start, feed }) => {
    const dispatcher = await start();
    const feeding = feed(async (messages) => await dispatcher.store(messages));
    for (let round = 0; round < rounds; round++) {
      await untilArrived(ledger, seeded(round, 100, 60));
      await server.crash();
    }
    await untilArrived(ledger, arrivalsAfterwards);
    await feeding.stop();
    if (!dispatcher.isAlive()) throw new Error("The dispatcher did not outlive the database.");
    return rounds;
  });
}

async function untilDead(dispatcher: Dispatcher): Promise<void> {
  while (dispatcher.isAlive()) await delay(10);
}
