import { type ProductWorld, openProductWorld, type ProductOptions, ScriptedUpstream } from "@gatehouse/e2e";
import { type Meter, type MeterOptions, openMeter } from "./measure.ts";

/** The product in a separate process, with an attacker's credentials and probes outside of it. */
export interface AdversaryWorld extends ProductWorld {
  readonly meter: Meter;
  /** A scripted HTTP server that misbehaves: as provider, MCP upstream or API. */
  readonly upstream: ScriptedUpstream;
}

/** No rates of bodies: consecutive attacks are measured by their cost, not by their wait. */
const unpaced = { BODY_BYTES_PER_SECOND: String(2 ** 40), BODY_BURST_BYTES: String(2 ** 40) };

/** Starts the product standalone, with a separate data folder and database. */
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
