-- Keys begin with the project. Upserts name the same columns in any order, so replicas of the earlier version go on beside this one;
-- what they write waits with the broker while a key is made. Deletion by age and questions about all projects have the other index.

ALTER TABLE "metric_minutes" DROP CONSTRAINT "metric_minutes_pkey",
  ADD CONSTRAINT "metric_minutes_pkey" PRIMARY KEY ("project_uuid", "at", "endpoint_uuid", "token_id", "provider", "model", "user_name", "outcome", "latency");

DROP INDEX "metric_minutes_project_uuid_at_idx";

CREATE INDEX "metric_minutes_at_idx" ON "metric_minutes"("at");

ALTER TABLE "metric_hours" DROP CONSTRAINT "metric_hours_pkey",
  ADD CONSTRAINT "metric_hours_pkey" PRIMARY KEY ("project_uuid", "at", "endpoint_uuid", "token_id", "provider", "model", "user_name", "outcome", "latency");

DROP INDEX "metric_hours_project_uuid_at_idx";

CREATE INDEX "metric_hours_at_idx" ON "metric_hours"("at");

ALTER TABLE "metric_days" DROP CONSTRAINT "metric_days_pkey",
  ADD CONSTRAINT "metric_days_pkey" PRIMARY KEY ("project_uuid", "at", "endpoint_uuid", "token_id", "provider", "model", "user_name", "outcome", "latency");

DROP INDEX "metric_days_project_uuid_at_idx";

CREATE INDEX "metric_days_at_idx" ON "metric_days"("at");

ALTER TABLE "metric_users" DROP CONSTRAINT "metric_users_pkey",
  ADD CONSTRAINT "metric_users_pkey" PRIMARY KEY ("project_uuid", "hour", "user_name");

CREATE INDEX "metric_users_hour_idx" ON "metric_users"("hour");
