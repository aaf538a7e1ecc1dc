-- CreateTable
CREATE TABLE "policies" (
    "owner_uuid" UUID NOT NULL,
    "project_uuid" UUID NOT NULL,
    "document" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policies_pkey" PRIMARY KEY ("owner_uuid")
);

-- CreateIndex
CREATE INDEX "policies_project_uuid_idx" ON "policies"("project_uuid");
