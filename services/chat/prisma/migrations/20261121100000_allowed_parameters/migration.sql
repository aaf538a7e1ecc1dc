-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "allowed_parameters" TEXT[] DEFAULT ARRAY[]::TEXT[];
