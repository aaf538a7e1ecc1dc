-- CreateTable
CREATE TABLE "findings" (
    "id" BIGSERIAL NOT NULL,
    "project_uuid" UUID NOT NULL,
    "endpoint_uuid" UUID,
    "request_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "side" TEXT NOT NULL,
    "detector" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "score" DOUBLE PRECISION,
    "excerpt" TEXT,

    CONSTRAINT "findings_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feedback" (
    "id" BIGSERIAL NOT NULL,
    "project_uuid" UUID NOT NULL,
    "endpoint_uuid" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "finding_id" BIGINT,
    "detector" TEXT,
    "text" TEXT,
    "note" TEXT,

    CONSTRAINT "feedback_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "comparisons" (
    "place_uuid" UUID NOT NULL,
    "policy_key" TEXT NOT NULL,
    "project_uuid" UUID NOT NULL,
    "calls" BIGINT NOT NULL,
    "same" BIGINT NOT NULL,
    "newly_blocked" BIGINT NOT NULL,
    "no_longer_blocked" BIGINT NOT NULL,
    "newly_masked" BIGINT NOT NULL,
    "no_longer_masked" BIGINT NOT NULL,
    "skipped" BIGINT NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "comparisons_pkey" PRIMARY KEY ("place_uuid","policy_key")
);

-- CreateIndex
CREATE INDEX "findings_project_uuid_id_idx" ON "findings"("project_uuid", "id");

-- CreateIndex
CREATE INDEX "feedback_project_uuid_id_idx" ON "feedback"("project_uuid", "id");

-- CreateIndex
CREATE INDEX "comparisons_project_uuid_idx" ON "comparisons"("project_uuid");
