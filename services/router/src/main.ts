import process from "node:process";
import { ConfigError } from "@gatehouse/config";
import { onSignal } from "@gatehouse/service";
import { OperationsPortError } from "./app.ts";
import { loadConfig, type RouterProcessConfig } from "./config.ts";
import { createRouterProcess } from "./process.ts";

await main();

async function main(): Promise<void> {
  const routerProcess = await createRouterProcess(configOrExit());
  const { router, telemetry } = routerProcess;
  try {
    await router.start();
  } catch (err) {
    if (!(err instanceof OperationsPortError)) throw err;
    process.stderr.write(`${err.message}\n`);
    process.exit(1);
  }
  telemetry.log.info({ port: router.port(), operationsPort: router.operationsPort() }, "The router is ready.");
  onSignal(process, async () => {
    await router.stop();
    await routerProcess.close();
  });
}

function configOrExit(): RouterProcessConfig {
  try {
    return loadConfig(process.env);
  } catch (err) {
    if (err instanceof ConfigError) {
      process.stderr.write(`${err.message}\n`);
      process.exit(2);
    }
    throw err;
  }
}
