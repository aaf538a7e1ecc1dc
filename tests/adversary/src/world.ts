import { type ProductWorld, openProductWorld, type ProductOptions, ScriptedUpstream } from "@gatehouse/e2e";
import { type Meter, type MeterOptions, openMeter } from "./measure.ts";

/** The product in a separate process, with an attacker's credentials and the probes that watch it from outside. */
export interface AdversaryWorld extends ProductWorld {
  readonly meter: Meter;
  /** An HTTP server that misbehaves as its script says: a provider, an MCP upstream, an API. */
  readonly upstream: ScriptedUpstream;
}

/** Attacks in a row are measured by what each of them costs, not by how long the gateway lets them wait. */
const unpaced = { BODY_BYTES_PER_SECOND: String(2 ** 40), BODY_BURST_BYTES: String(2 ** 40) };

/** Starts the product standalone, with a data folder and a database that nothing else uses. */
export async function openAdversaryWorld(
  env: ProductOptions["env"] = {},
  { scalesBar }: MeterOptions = { scalesBar: true },
): Promise<AdversaryWorld> {
  const world = await openProductWorld({ LOG_LEVEL: "error", ...unpaced, ...env });
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
