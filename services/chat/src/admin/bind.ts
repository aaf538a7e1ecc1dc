import { bindAdmin } from "@gatehouse/admin";
import type { ExportSecrets } from "@gatehouse/database";
import { deleteProject } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { credentialOperations } from "./credential-operations.ts";
import { credentialTestOperation } from "./credential-test-operation.ts";
import { draftOperations } from "./draft-operations.ts";
import { endpointOperations } from "./endpoint-operations.ts";
import { providerOperations } from "./provider-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { usageOperations } from "./usage-operations.ts";

/** Serves the administration of providers, credentials and endpoints to the Control Plane. */
export function bindChatAdmin(context: AdminContext, exportSecrets: ExportSecrets) {
  return bindAdmin({
    operations: [
      ...providerOperations,
      ...credentialOperations,
      credentialTestOperation,
      ...endpointOperations,
      ...draftOperations,
      ...sessionOperations,
      ...usageOperations,
    ],
    context,
    deleteProject: async (projectUuid) => await deleteProject(context.store, projectUuid),
    exportSecrets,
  });
}
