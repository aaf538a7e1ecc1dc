-- AlterTable
ALTER TABLE "access_tokens" ADD COLUMN     "reach" JSONB;
