ALTER TABLE "usage_records" ADD COLUMN "user_name" TEXT;

-- For what users have cost; calls that name nobody are not in it.
CREATE INDEX "usage_records_month_project_uuid_idx" ON "usage_records"("month", "project_uuid") WHERE "user_name" IS NOT NULL;
