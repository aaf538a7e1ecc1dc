import { openDatabase } from "@gatehouse/database";
import { sharedMigrations } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { outboxServices, sealingServices, serviceNames } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";

/** Services that keep something in Postgres, each in a schema of its name. */
export const migratedServices = serviceNames.filter((name) => name !== "router");

const publishing: ReadonlySet<string> = new Set(outboxServices);
const sealing: ReadonlySet<string> = new Set(sealingServices);

/** A service's migrations, and the role that runs them. */
export interface ServiceMigration {
  readonly service: string;
  /** Address with the role that owns the service's schema. */
  readonly url: Secret;
  /** Folder with all services, `services`. */
  readonly services: URL;
}

/** The migrations of one run of a service use one connection. */
const connectionsMax = 1;

/** Applies the migrations of a service that are not applied yet. @throws what the database says, or that one was edited. */
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
