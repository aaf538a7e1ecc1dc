-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "first_token_timeout_ms" INTEGER,
ADD COLUMN     "idle_timeout_ms" INTEGER,
ADD COLUMN     "mid_stream" TEXT NOT NULL DEFAULT 'error';
