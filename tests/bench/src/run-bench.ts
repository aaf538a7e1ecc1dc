import type { Failure, MeasureContext } from "./measure.ts";
import { renderGoals, renderTable } from "./report.ts";
import type { Bench, Scenario, ScenarioOutcome } from "./scenario.ts";
import type { StartedSystem, Subject } from "./subject.ts";
import { startBareProxy } from "./systems/bare-proxy.ts";
import { startGatehouse, type Gatehouse } from "./systems/gatehouse.ts";
import { startMockProvider } from "./systems/mock-provider.ts";
import { startPortkey } from "./systems/portkey.ts";

/** Everything that runs during the benchmark. */
export interface StartedBench {
  readonly bench: Bench;
  readonly descriptions: readonly string[];
  /** Stops everything in reverse order. */
  readonly stop: () => Promise<void>;
}

/** Systems beside the provider and the bare proxy. */
export interface Wanted {
  readonly product: boolean;
  readonly comparison: boolean;
  readonly logFolder: string;
}

/** Starts the systems, which run together.  @throws Error when one that is installed does not start */
export async function startBench(
  context: MeasureContext,
  { product, comparison, logFolder }: Wanted,
): Promise<StartedBench> {
  const started: StartedSystem[] = [];
  const stop = async () => {
    for (const system of started.toReversed()) await system.stop();
  };
  try {
    const provider = await startMockProvider(context.toolkit);
    started.push(provider);
    const providerOrigin = provider.origin;
    started.push(await startBareProxy(providerOrigin));
    const { gatehouse, services, coHosted, other } = product
      ? await startProduct(context, { providerOrigin, logFolder }, started)
      : noProduct;
    const portkey = comparison ? await startPortkey(providerOrigin, logFolder) : undefined;
    if (portkey) started.push(portkey);
    const subjects: Subject[] = started.map(({ subject }) => subject);
    const bench: Bench = { ...context, provider, gatehouse, services, coHosted, other, subjects, logFolder };
    return { bench, descriptions: started.map(({ description }) => description), stop };
  } catch (err) {
    await stop();
    throw err;
  }
}

interface StartedProduct {
  readonly gatehouse: Gatehouse | undefined;
  readonly services: Gatehouse | undefined;
  readonly coHosted: Gatehouse | undefined;
  readonly other: Gatehouse | undefined;
}

const noProduct: StartedProduct = { gatehouse: undefined, services: undefined, coHosted: undefined, other: undefined };

/**
 * Starts the product for each topology, and another build if requested. Scenarios know services alone as `gatehouse` too. Each
 * joins `started` at once, so that it is stopped if the next one fails.
 */
async function startProduct(
  { options, progress }: MeasureContext,
  at: { readonly providerOrigin: string; readonly logFolder: string },
  started: StartedSystem[],
): Promise<StartedProduct> {
  const { fromSource, profile, topology, against } = options;
  progress("starting the product");
  const start = async (kind: "standalone" | "services", checkout?: string, sets?: string) => {
    const product = await startGatehouse({
      ...at,
      fromSource: fromSource && checkout === undefined,
      profile: profile && kind === "standalone" && checkout === undefined,
      topology: kind,
      logName: checkout !== undefined ? "other-build" : sets === undefined ? kind : "co-hosted",
      checkout,
      ...(sets === undefined ? {} : { env: { SERVICES_SETS: sets } }),
    });
    if (product) started.push(product);
    return product;
  };
  const hasStandalone = topology === "standalone" || topology === "both";
  const gatehouse = hasStandalone ? await start("standalone") : undefined;
  const services = topology === "standalone" ? undefined : await start("services");
  const coHosted = topology === "co-hosted" ? await start("services", undefined, "chat,guardrail") : undefined;
  const other = against === undefined ? undefined : await start("standalone", against);
  return { gatehouse, services, coHosted, other };
}

/** Runs one scenario and prints its results. A scenario that throws counts as a failure. */
export async function runScenario(
  scenario: Scenario,
  bench: Bench,
  print: (text: string) => void,
): Promise<ScenarioOutcome> {
  const outcome = await scenario.run(bench).catch((err: unknown): ScenarioOutcome => {
    const failure: Failure = { subject: "bench", what: `${scenario.name}: ${String(err)}`, isForeign: false };
    return { tables: [], goals: [], failures: [failure], raw: null };
  });
  for (const table of outcome.tables) print(`\n${renderTable(table)}`);
  if (outcome.goals.length > 0) print(`\n${renderGoals(outcome.goals)}`);
  for (const { subject, what, isForeign } of outcome.failures)
    print(`\n${isForeign ? "note" : "WRONG"}: ${subject}: ${what}`);
  return outcome;
}
