ALTER TABLE "gateway_log" ADD COLUMN "user_name" TEXT;

-- Most calls name nobody, and cost nothing here.
CREATE INDEX "gateway_log_user_name_at_id_idx" ON "gateway_log"("user_name", "at", "id") WHERE "user_name" IS NOT NULL;

ALTER TABLE "metric_minutes" ADD COLUMN "user_name" TEXT NOT NULL DEFAULT '',
  DROP CONSTRAINT "metric_minutes_pkey",
  ADD CONSTRAINT "metric_minutes_pkey" PRIMARY KEY ("at", "project_uuid", "endpoint_uuid", "token_id", "provider", "model", "user_name", "outcome", "latency");

ALTER TABLE "metric_hours" ADD COLUMN "user_name" TEXT NOT NULL DEFAULT '',
  DROP CONSTRAINT "metric_hours_pkey",
  ADD CONSTRAINT "metric_hours_pkey" PRIMARY KEY ("at", "project_uuid", "endpoint_uuid", "token_id", "provider", "model", "user_name", "outcome", "latency");

ALTER TABLE "metric_days" ADD COLUMN "user_name" TEXT NOT NULL DEFAULT '',
  DROP CONSTRAINT "metric_days_pkey",
  ADD CONSTRAINT "metric_days_pkey" PRIMARY KEY ("at", "project_uuid", "endpoint_uuid", "token_id", "provider", "model", "user_name", "outcome", "latency");

CREATE TABLE "metric_users" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "project_uuid" UUID NOT NULL,
    "user_name" TEXT NOT NULL,

    CONSTRAINT "metric_users_pkey" PRIMARY KEY ("hour", "project_uuid", "user_name")
);
