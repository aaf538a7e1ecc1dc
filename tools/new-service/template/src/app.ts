import { bindAdmin } from "@gatehouse/admin";
import { createService, type DatabaseConfig, type Service, type ServiceHost } from "@gatehouse/service";
import { thingOperations } from "./admin/thing-operations.ts";
import { deleteProject, openThingStore } from "./store/things.ts";

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The template service, with things of projects in the schema `template`. The host starts and stops it. */
export function createTemplateService(config: DatabaseConfig, host: ServiceHost): Service {
  const database = { config, schema: "template", migrations };
  return createService({ name: "template", host, database, outbox: true, feed: true }, (kernel) => {
    const store = openThingStore(kernel);
    const admin = bindAdmin({
      operations: thingOperations,
      context: { store },
      deleteProject: async (projectUuid) => await deleteProject(store, projectUuid),
    });
    return { rpc: [admin] };
  });
}
