-- CreateTable
CREATE TABLE "projects" (
    "uuid" UUID NOT NULL,
    "id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "named_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sealed_root" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),
    "farewell" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "id" SERIAL NOT NULL,
    "project_uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "active_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),
    "secret_version" INTEGER NOT NULL,
    "secret_salt" BYTEA NOT NULL,
    "secret_digest" BYTEA NOT NULL,
    "secret_hint" TEXT NOT NULL,
    "previous_version" INTEGER,
    "previous_salt" BYTEA,
    "previous_digest" BYTEA,
    "previous_hint" TEXT,
    "previous_expires_at" TIMESTAMPTZ(3),
    "is_staged" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" UUID NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" BIGSERIAL NOT NULL,
    "uuid" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" INTEGER NOT NULL,
    "event_id" UUID,
    "message_uuid" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "request_body" TEXT NOT NULL,
    "traceparent" TEXT NOT NULL DEFAULT '',
    "redelivery_of" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "lease_no" INTEGER NOT NULL DEFAULT 0,
    "leased_until" TIMESTAMPTZ(3),
    "attempted_at" TIMESTAMPTZ(3),
    "success" BOOLEAN,
    "http_status" INTEGER,
    "response_body" TEXT,
    "response_truncated" BOOLEAN NOT NULL DEFAULT false,
    "error" TEXT,
    "duration_ms" INTEGER,
    "timing" JSONB,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhooks_project_uuid_id_idx" ON "webhooks"("project_uuid", "id");

-- CreateIndex
CREATE INDEX "events_stored_at_idx" ON "events"("stored_at");

-- CreateIndex
CREATE INDEX "deliveries_webhook_id_id_idx" ON "deliveries"("webhook_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_created_at_idx" ON "deliveries"("created_at");

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_project_uuid_fkey" FOREIGN KEY ("project_uuid") REFERENCES "projects"("uuid") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Below, what Prisma's schema language does not express.

-- One delivery for one event and webhook, whatever comes twice.
CREATE UNIQUE INDEX "deliveries_event_id_webhook_id_key" ON "deliveries"("event_id", "webhook_id") WHERE "event_id" IS NOT NULL;

-- What waits, by lane; small, since it leaves the index when it is claimed.
CREATE INDEX "deliveries_pending_idx" ON "deliveries"("webhook_id", "id") WHERE "state" = 'pending';

-- What somebody works on, by the end of the lease.
CREATE INDEX "deliveries_leased_idx" ON "deliveries"("leased_until") WHERE "state" IN ('claimed', 'started');

-- Rows change three times within a second or so, and are then left alone.
ALTER TABLE "deliveries" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
