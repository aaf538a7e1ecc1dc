-- No writer may add an hour between its being read below and the days' being there.
LOCK TABLE "metric_hours" IN SHARE ROW EXCLUSIVE MODE;

CREATE TABLE "metric_days" (
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

    CONSTRAINT "metric_days_pkey" PRIMARY KEY ("at", "project_uuid", "endpoint_uuid", "token_id", "provider", "model", "outcome", "latency")
);

CREATE INDEX "metric_days_project_uuid_at_idx" ON "metric_days"("project_uuid", "at");

INSERT INTO "metric_days"
SELECT date_bin('1 day', "at", timestamptz '1970-01-01T00:00Z'), "project_uuid", "endpoint_uuid", "token_id", "provider", "model", "outcome",
    "latency", sum("requests"), sum("prompt_tokens"), sum("completion_tokens"), sum("cost_micros")
FROM "metric_hours" GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
