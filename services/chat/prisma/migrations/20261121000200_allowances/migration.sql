-- CreateTable
CREATE TABLE "allowance_windows" (
    "subject" TEXT NOT NULL,
    "window_seconds" INTEGER NOT NULL,
    "window_start" BIGINT NOT NULL,
    "limit_units" BIGINT NOT NULL,
    "granted" BIGINT NOT NULL,
    "last_need" BIGINT NOT NULL,
    "last_extra" BIGINT NOT NULL,
    "last_return" BIGINT NOT NULL,
    "last_grant" BIGINT NOT NULL,

    CONSTRAINT "allowance_windows_pkey" PRIMARY KEY ("subject","window_seconds")
);

-- CreateTable
CREATE TABLE "budget_ledgers" (
    "endpoint_uuid" UUID NOT NULL,
    "month" TEXT NOT NULL,
    "project_uuid" UUID NOT NULL,
    "spent_micros" BIGINT NOT NULL DEFAULT 0,
    "leased_micros" BIGINT NOT NULL DEFAULT 0,
    "requests" BIGINT NOT NULL DEFAULT 0,
    "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "completion_tokens" BIGINT NOT NULL DEFAULT 0,
    "threshold_at" TIMESTAMPTZ(3),
    "exhausted_at" TIMESTAMPTZ(3),

    CONSTRAINT "budget_ledgers_pkey" PRIMARY KEY ("endpoint_uuid","month")
);

-- CreateTable
CREATE TABLE "budget_leases" (
    "endpoint_uuid" UUID NOT NULL,
    "month" TEXT NOT NULL,
    "replica_id" TEXT NOT NULL,
    "micros" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budget_leases_pkey" PRIMARY KEY ("endpoint_uuid","month","replica_id")
);

-- CreateTable
CREATE TABLE "usage_records" (
    "call_id" UUID NOT NULL,
    "endpoint_uuid" UUID NOT NULL,
    "project_uuid" UUID NOT NULL,
    "token_id" INTEGER NOT NULL,
    "month" TEXT NOT NULL,
    "settled_at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT NOT NULL,
    "provider" TEXT,
    "model" TEXT,
    "outcome" TEXT NOT NULL,
    "prompt_tokens" INTEGER NOT NULL,
    "cached_tokens" INTEGER NOT NULL,
    "completion_tokens" INTEGER NOT NULL,
    "reasoning_tokens" INTEGER NOT NULL,
    "cost_micros" BIGINT NOT NULL,
    "price_unknown" BOOLEAN NOT NULL,
    "estimated" BOOLEAN NOT NULL,

    CONSTRAINT "usage_records_pkey" PRIMARY KEY ("call_id")
);

-- CreateIndex
CREATE INDEX "usage_records_month_endpoint_uuid_idx" ON "usage_records"("month", "endpoint_uuid");


-- What must never be, whatever the code does.
ALTER TABLE "allowance_windows" ADD CONSTRAINT "allowance_windows_granted_check" CHECK ("granted" >= 0);
ALTER TABLE "budget_ledgers" ADD CONSTRAINT "budget_ledgers_amounts_check" CHECK ("spent_micros" >= 0 AND "leased_micros" >= 0);
ALTER TABLE "budget_leases" ADD CONSTRAINT "budget_leases_micros_check" CHECK ("micros" >= 0);

-- Rows that are updated all the time keep room for their next version beside them, and are vacuumed early.
ALTER TABLE "allowance_windows" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "budget_ledgers" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "budget_leases" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
