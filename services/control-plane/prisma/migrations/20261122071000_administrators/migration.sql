-- AlterTable
ALTER TABLE "admin_keys" ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "gateway_wide" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "project_uuids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "role" TEXT NOT NULL DEFAULT 'owner';

-- CreateTable
CREATE TABLE "console_sessions" (
    "id" SERIAL NOT NULL,
    "admin_key_id" INTEGER NOT NULL,
    "session_hash" BYTEA NOT NULL,
    "ip_address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "console_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "console_sessions_session_hash_key" ON "console_sessions"("session_hash");

-- CreateIndex
CREATE INDEX "console_sessions_admin_key_id_id_idx" ON "console_sessions"("admin_key_id", "id");

-- CreateIndex
CREATE INDEX "console_sessions_expires_at_idx" ON "console_sessions"("expires_at");

-- AddForeignKey
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_admin_key_id_fkey" FOREIGN KEY ("admin_key_id") REFERENCES "admin_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
