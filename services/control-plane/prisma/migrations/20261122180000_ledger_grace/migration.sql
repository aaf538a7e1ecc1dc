-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "ledger_grace_seconds" INTEGER;
