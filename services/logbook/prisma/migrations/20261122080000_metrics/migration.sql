CREATE TABLE "metric_minutes" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "project_uuid" UUID NOT NULL,
    "endpoint_uuid" UUID NOT NULL,
    "token_id" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "latency" SMALLINT NOT NULL,
    "requests" BIGINT NOT NULL,
    "prompt_tokens" BIGINT NOT NULL,
    "completion_tokens" BIGINT NOT NULL,
    "cost_micros" BIGINT NOT NULL,

    CONSTRAINT "metric_minutes_pkey" PRIMARY KEY ("at", "project_uuid", "endpoint_uuid", "token_id", "provider", "model", "outcome", "latency")
);

CREATE INDEX "metric_minutes_project_uuid_at_idx" ON "metric_minutes"("project_uuid", "at");

CREATE TABLE "metric_hours" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "project_uuid" UUID NOT NULL,
    "endpoint_uuid" UUID NOT NULL,
    "token_id" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "latency" SMALLINT NOT NULL,
    "requests" BIGINT NOT NULL,
    "prompt_tokens" BIGINT NOT NULL,
    "completion_tokens" BIGINT NOT NULL,
    "cost_micros" BIGINT NOT NULL,

    CONSTRAINT "metric_hours_pkey" PRIMARY KEY ("at", "project_uuid", "endpoint_uuid", "token_id", "provider", "model", "outcome", "latency")
);

CREATE INDEX "metric_hours_project_uuid_at_idx" ON "metric_hours"("project_uuid", "at");
