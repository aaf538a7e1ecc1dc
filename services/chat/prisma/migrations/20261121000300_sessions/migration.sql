-- CreateTable
CREATE TABLE "sessions" (
    "id" SERIAL NOT NULL,
    "token_id" INTEGER NOT NULL,
    "endpoint_uuid" UUID NOT NULL,
    "session_uuid" UUID NOT NULL,
    "turn_of" UUID,
    "turn_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session_messages" (
    "id" BIGSERIAL NOT NULL,
    "session_id" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "content" TEXT NOT NULL,

    CONSTRAINT "session_messages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_id_endpoint_uuid_session_uuid_key" ON "sessions"("token_id", "endpoint_uuid", "session_uuid");

-- CreateIndex
CREATE INDEX "session_messages_session_id_id_idx" ON "session_messages"("session_id", "id");

-- AddForeignKey
ALTER TABLE "session_messages" ADD CONSTRAINT "session_messages_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;


