import process from "node:process";
import { listOwnAddresses } from "@gatehouse/egress";
import { runService } from "@gatehouse/service";
import { createWebhookDispatcherService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService(
  {
    name: "webhook-dispatcher",
    loadConfig,
    create(config, host) {
      const { host: address, httpPort, rpcPort } = config.host;
      const ownAddresses = [httpPort, rpcPort].flatMap((port) => listOwnAddresses(address, port));
      return createWebhookDispatcherService(config, { ...host, ownAddresses });
    },
  },
  process,
);
