import type { SharedMigration } from "@gatehouse/database";

/**
 * The outbox table, in the service's schema: filled by changing transactions, emptied by the relay. Not in the service's
 * `schema.prisma`, since only this package has statements for it.
 */
const tableMigration: SharedMigration = {
  name: "20261121090000_audit_outbox",
  // Released: must not change, since installations are compared by its checksum.
  sql: `-- Audit events wait here from the commit that makes them until whoever keeps them has said that it does.
-- CreateTable
CREATE TABLE "audit_outbox" (
    "seq" BIGSERIAL NOT NULL,
    "event_id" UUID NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "published_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "republish_at" TIMESTAMPTZ(3),
    "confirmed_by" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "audit_outbox_pkey" PRIMARY KEY ("seq")
);

-- CreateIndex
CREATE UNIQUE INDEX "audit_outbox_event_id_key" ON "audit_outbox"("event_id");

-- What is to be published, what may have to be published again, what may be deleted.
CREATE INDEX "audit_outbox_unpublished_idx" ON "audit_outbox"("seq") WHERE "published_at" IS NULL;
CREATE INDEX "audit_outbox_unconfirmed_idx" ON "audit_outbox"("republish_at")
    WHERE "published_at" IS NOT NULL AND "confirmed_at" IS NULL;
CREATE INDEX "audit_outbox_confirmed_idx" ON "audit_outbox"("confirmed_at") WHERE "confirmed_at" IS NOT NULL;
`,
};

/** Numbers the events of a service, so that consumers can detect missing ones. */
const numbersMigration: SharedMigration = {
  name: "20261123060000_audit_outbox_numbers",
  // Released, as above.
  sql: `-- Given by the relay in the order of its publishing; a relay of an earlier version passes it on within the body.
ALTER TABLE "audit_outbox" ADD COLUMN "number" BIGINT;

-- One row: the last number that was given. The outbox forgets its rows, so the numbers in them do not say it.
CREATE TABLE "audit_outbox_numbers" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "last" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "audit_outbox_numbers_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "audit_outbox_numbers_one_row" CHECK ("id" = 1)
);

INSERT INTO "audit_outbox_numbers" DEFAULT VALUES;
`,
};

/** Migrations of the outbox table, oldest first, for the schema of each service that records audit events. */
export const outboxMigrations: readonly SharedMigration[] = [tableMigration, numbersMigration];
