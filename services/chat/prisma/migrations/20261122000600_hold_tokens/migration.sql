-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "hold_tokens" INTEGER;
