import { bindAdmin } from "@gatehouse/admin";
import type { ExportSecrets } from "@gatehouse/database";
import { deleteProject } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { operations } from "./operations.ts";

/** Serves the administration of endpoints and OAuth connections to the Control Plane. */
export function bindApiProxyAdmin(context: AdminContext, exportSecrets: ExportSecrets) {
  return bindAdmin({
    operations,
    context,
    deleteProject: async (projectUuid) => await deleteProject(context.store, projectUuid),
    exportSecrets,
  });
}
