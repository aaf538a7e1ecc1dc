-- Prompt tokens that the provider read from its cache. Replicas of the earlier version leave the column out: 0.
ALTER TABLE "metric_minutes" ADD COLUMN "cached_tokens" BIGINT NOT NULL DEFAULT 0;

ALTER TABLE "metric_hours" ADD COLUMN "cached_tokens" BIGINT NOT NULL DEFAULT 0;

ALTER TABLE "metric_days" ADD COLUMN "cached_tokens" BIGINT NOT NULL DEFAULT 0;
