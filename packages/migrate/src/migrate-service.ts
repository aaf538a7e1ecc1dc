import { openDatabase } from "@gatehouse/database";
import { sharedMigrations } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { outboxServices, sealingServices, serviceNames } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";

/** Services with a schema in Postgres, of the same name. */
export const migratedServices = serviceNames.filter((name) => name !== "router");

const publishing: ReadonlySet<string> = new Set(outboxServices);
const sealing: ReadonlySet<string> = new Set(sealingServices);

/** A service whose missing migrations are applied, and the role that owns its schema. */
interface ServiceMigration {
  readonly service: string;
  /** URL with the role that owns the service's schema. */
  readonly url: Secret;
  /** The folder `services`. */
  readonly services: URL;
}

/** All migrations of a service use one connection. */
const connectionsMax = 1;

/** Applies missing migrations of a service. @throws the database's error, or one for an edited migration. */
export async function migrateService({ service, url, services }: ServiceMigration): Promise<void> {
  const { log } = createSilentTelemetry();
  const database = openDatabase({ url, schema: service.replaceAll("-", "_"), connectionsMax, log });
  try {
    const shared = sharedMigrations({ hasOutbox: publishing.has(service), isSealing: sealing.has(service) });
    await database.migrate(new URL(`${service}/prisma/migrations/`, services), shared);
  } finally {
    await database.close();
  }
}
