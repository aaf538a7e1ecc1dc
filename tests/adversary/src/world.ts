import { type ContractWorld, openContractWorld, type ProductOptions, ScriptedUpstream } from "@gatehouse/e2e";
import { type Meter, type MeterOptions, openMeter } from "./measure.ts";

/** The product in a process of its own, with what an attacker has and with what watches the product from outside. */
export interface AdversaryWorld extends ContractWorld {
  readonly meter: Meter;
  /** An HTTP server that misbehaves as its script says: a provider, an MCP upstream, an API. */
  readonly upstream: ScriptedUpstream;
}

/** Starts the product standalone, with a data folder and a database that nothing else uses. */
export async function openAdversaryWorld(
  env: ProductOptions["env"] = {},
  { scalesBar }: MeterOptions = { scalesBar: true },
): Promise<AdversaryWorld> {
  const world = await openContractWorld({ LOG_LEVEL: "error", ...env });
  const upstream = await ScriptedUpstream.start();
  const meter = await openMeter(world.product, { scalesBar });
  return {
    ...world,
    meter,
    upstream,
    async stop() {
      await meter.stop();
      await Promise.all([world.stop(), upstream.stop()]);
    },
  };
}
