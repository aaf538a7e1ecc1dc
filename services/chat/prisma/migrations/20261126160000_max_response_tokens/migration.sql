-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "max_response_tokens" INTEGER;
