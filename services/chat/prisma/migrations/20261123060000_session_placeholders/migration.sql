-- CreateTable
CREATE TABLE "session_placeholders" (
    "uuid" UUID NOT NULL,
    "session_id" INTEGER NOT NULL,
    "sealed" TEXT NOT NULL,

    CONSTRAINT "session_placeholders_pkey" PRIMARY KEY ("uuid")
);

-- CreateIndex
CREATE UNIQUE INDEX "session_placeholders_session_id_key" ON "session_placeholders"("session_id");

-- AddForeignKey
ALTER TABLE "session_placeholders" ADD CONSTRAINT "session_placeholders_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Of a value that is stored as it is, its head can be read alone: the key that has sealed it. Sealed values cannot be compressed.
ALTER TABLE "session_placeholders" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;
