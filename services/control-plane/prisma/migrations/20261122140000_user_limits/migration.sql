-- AlterTable
ALTER TABLE "access_tokens" ADD COLUMN     "revoked_until" TIMESTAMPTZ(3),
ADD COLUMN     "user_budget_micros" BIGINT,
ADD COLUMN     "user_limit_per_minute" INTEGER;
