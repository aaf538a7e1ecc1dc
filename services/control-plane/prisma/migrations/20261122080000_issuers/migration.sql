-- CreateTable
CREATE TABLE "issuers" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "scopes" TEXT[],
    "scope_claim" TEXT,
    "jwks_url" TEXT,
    "rate_limit_per_minute" INTEGER,
    "rate_limit_per_hour" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "issuers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "issuers_project_id_issuer_key" ON "issuers"("project_id", "issuer");

-- AddForeignKey
ALTER TABLE "issuers" ADD CONSTRAINT "issuers_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "access_tokens" ALTER COLUMN "token_hash" DROP NOT NULL;
ALTER TABLE "access_tokens" ADD COLUMN     "issuer_id" INTEGER;
ALTER TABLE "access_tokens" ADD COLUMN     "subject" TEXT;

-- A token has a plaintext, or stands for a subject of an issuer.
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_kind_check" CHECK (("token_hash" IS NULL) = ("issuer_id" IS NOT NULL) AND ("issuer_id" IS NULL) = ("subject" IS NULL));

-- CreateIndex
CREATE UNIQUE INDEX "access_tokens_issuer_id_subject_key" ON "access_tokens"("issuer_id", "subject");

-- AddForeignKey
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_issuer_id_fkey" FOREIGN KEY ("issuer_id") REFERENCES "issuers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
