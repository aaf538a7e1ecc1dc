-- AlterTable
ALTER TABLE "usage_records" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 0;
