-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN "response_headers" JSONB;
