-- CreateTable
CREATE TABLE "tool_catalogues" (
    "project_uuid" UUID NOT NULL,
    "tools" JSONB NOT NULL,
    "listed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tool_catalogues_pkey" PRIMARY KEY ("project_uuid")
);

-- CreateIndex
CREATE INDEX "tool_catalogues_listed_at_idx" ON "tool_catalogues"("listed_at");
