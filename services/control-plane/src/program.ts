import process from "node:process";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import type { ServiceProgram } from "@gatehouse/service";
import { createAdminKeyNotice, createControlPlaneService } from "./app.ts";
import { type ControlPlaneMemberConfig, loadConfig } from "./config.ts";

/** The service in any process and any set of services. */
export const controlPlaneProgram: ServiceProgram<ControlPlaneMemberConfig> = {
  name: "control-plane",
  loadConfig,
  create(config, host) {
    const notice = createAdminKeyNotice({
      terminal: process.stdout.isTTY ? process.stdout : undefined,
      file: config.adminKeyFile,
      log: host.telemetry.log,
    });
    return createControlPlaneService(config, {
      ...host,
      owners: config.owners.map(({ name, ...peer }) => ({
        name,
        client: host.connect(name, peer).client(AdminServiceDefinition),
      })),
      onAdminKeyCreated: config.onAdminKeyCreated ?? notice,
    });
  },
};
