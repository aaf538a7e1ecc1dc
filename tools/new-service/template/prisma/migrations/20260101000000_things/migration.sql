-- CreateTable
CREATE TABLE "things" (
    "id" SERIAL NOT NULL,
    "project_uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "things_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "things_project_uuid_id_idx" ON "things"("project_uuid", "id");
