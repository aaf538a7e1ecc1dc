-- CreateTable
CREATE TABLE "external_secrets" (
    "uuid" UUID NOT NULL,
    "owner_uuid" UUID NOT NULL,
    "project_uuid" UUID NOT NULL,
    "sealed" TEXT NOT NULL,

    CONSTRAINT "external_secrets_pkey" PRIMARY KEY ("uuid")
);

-- CreateIndex
CREATE INDEX "external_secrets_owner_uuid_idx" ON "external_secrets"("owner_uuid");

-- CreateIndex
CREATE INDEX "external_secrets_project_uuid_idx" ON "external_secrets"("project_uuid");
