import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "@gatehouse/ports";
import { openAiBody, postRequest } from "../call.ts";
import { startProcess } from "../child-process.ts";
import { openLog } from "../log-file.ts";
import { packageFolder } from "../paths.ts";
import { waitUntilAnswers } from "../ports.ts";
import type { StartedSystem } from "../subject.ts";

const name = "@portkey-ai/gateway";

/** Starts the comparison gateway if it is installed, here or in `comparison/` (which pins its dependencies); else undefined. */
export async function startPortkey(providerOrigin: string, logFolder: string): Promise<StartedSystem | undefined> {
  const folder = ["comparison", "."].map((place) => join(packageFolder, place, "node_modules", name)).find(existsSync);
  if (folder === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const port = await findFreePort();
  const log = openLog(join(logFolder, "portkey.log"));
  const command = [process.execPath, join(folder, "build", "start-server.js"), "--headless", `--port=${port}`];
  const { pid, stop, child } = await startProcess(command, { stdio: ["ignore", log, log] });
  await waitUntilAnswers([`http://127.0.0.1:${port}/`], { child, timeoutMs: 20_000 });
  const headers = {
    authorization: "Bearer bench",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${providerOrigin}/v1`,
  };
  return {
    description: `Portkey gateway ${version} (node ${process.versions.node})`,
    subject: {
      name: "portkey",
      port,
      group: { rootPid: pid },
      isForeign: true,
      prepare: async (call) => postRequest("/v1/chat/completions", openAiBody(call), headers),
    },
    stop: () => stop(),
  };
}
