import { createRequire } from "node:module";
import { join } from "node:path";
import { openAiBody, postRequest } from "../call.ts";
import { startListener } from "../child-process.ts";
import { packageFolder } from "../paths.ts";
import type { StartedSystem } from "../subject.ts";

/** Starts the bare Node reverse proxy in front of the provider: the baseline of every ratio. */
export async function startBareProxy(providerOrigin: string): Promise<StartedSystem> {
  const { port, pid, stop } = await startListener([
    process.execPath,
    join(packageFolder, "src", "bare-proxy.ts"),
    providerOrigin,
  ]);
  const { version } = createRequire(import.meta.url)("undici/package.json") as { version: string };
  return {
    description: `bare Node proxy (node ${process.versions.node}, undici ${version})`,
    subject: {
      name: "bare proxy",
      port,
      group: { rootPid: pid },
      prepare: async (call) => postRequest("/v1/chat/completions", openAiBody(call)),
    },
    stop: () => stop(),
  };
}
