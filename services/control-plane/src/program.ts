import process from "node:process";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { StateServiceDefinition } from "@gatehouse/proto/service-state";
import type { ServiceProgram } from "@gatehouse/service";
import { createAdminKeyNotice, createControlPlaneService } from "./app.ts";
import { type ControlPlaneMemberConfig, loadConfig, type NamedPeerRpcConfig } from "./config.ts";

export { type ControlPlaneDependencies, createControlPlaneService } from "./app.ts";
export { type ControlPlaneConfig, type ControlPlaneMemberConfig, readControlPlaneConfig } from "./config.ts";

/** Entry for every host: a process (`main.ts`), standalone, or a set of services. Connects to all others but the router. */
export const controlPlaneProgram: ServiceProgram<ControlPlaneMemberConfig> = {
  name: "control-plane",
  loadConfig,
  create(config, host) {
    const notice = createAdminKeyNotice(
      process.stdout.isTTY ? process.stdout : undefined,
      config.adminKeyFile,
      host.telemetry.log,
    );
    const connect = ({ name, ...peer }: NamedPeerRpcConfig) => ({ name, channel: host.connect(name, peer) });
    const owners = config.owners.map(connect);
    return createControlPlaneService(config, {
      ...host,
      owners: owners.map(({ name, channel }) => ({ name, client: channel.client(AdminServiceDefinition) })),
      services: [...owners, connect(config.mcpBridge)].map(({ name, channel }) => ({
        name,
        client: channel.client(StateServiceDefinition),
      })),
      onAdminKeyCreated: config.onAdminKeyCreated ?? notice,
    });
  },
};
