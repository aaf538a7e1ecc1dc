-- AlterTable
ALTER TABLE "admin_keys" ADD COLUMN     "sign_in_issuer" TEXT,
ADD COLUMN     "sign_in_subject" TEXT,
ALTER COLUMN "key_hash" DROP NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "admin_keys_sign_in_issuer_subject_key" ON "admin_keys"("sign_in_issuer", "sign_in_subject");

-- CreateTable
CREATE TABLE "ended_sign_ins" (
    "attempt_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ended_sign_ins_pkey" PRIMARY KEY ("attempt_hash")
);

-- CreateIndex
CREATE INDEX "ended_sign_ins_expires_at_idx" ON "ended_sign_ins"("expires_at");
