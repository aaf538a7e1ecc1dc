import process from "node:process";
import { listOwnAddresses } from "@gatehouse/egress";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { runService } from "@gatehouse/service";
import { createAdminKeyNotice, createControlPlaneService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService(
  {
    name: "control-plane",
    loadConfig,
    create(config, host) {
      const { host: address, httpPort, rpcPort } = config.host;
      return createControlPlaneService(config, {
        ...host,
        ownAddresses: [httpPort, rpcPort].flatMap((port) => listOwnAddresses(address, port)),
        owners: config.owners.map(({ name, ...peer }) => ({
          name,
          client: host.connect(name, peer).client(AdminServiceDefinition),
        })),
        onAdminKeyCreated: createAdminKeyNotice({
          terminal: process.stdout.isTTY ? process.stdout : undefined,
          file: config.adminKeyFile,
          log: host.telemetry.log,
        }),
      });
    },
  },
  process,
);
