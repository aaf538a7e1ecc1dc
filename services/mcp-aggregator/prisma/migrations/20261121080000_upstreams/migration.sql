-- CreateTable
CREATE TABLE "upstreams" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "project_uuid" UUID NOT NULL,
    "project_id" INTEGER,
    "project_name" TEXT,
    "prefix" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "sealed_bearer_token" TEXT,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "settings" JSONB NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "upstreams_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "catalogues" (
    "upstream_id" INTEGER NOT NULL,
    "tools_json" TEXT NOT NULL,
    "era" TEXT NOT NULL,
    "listed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "catalogues_pkey" PRIMARY KEY ("upstream_id")
);

-- CreateTable
CREATE TABLE "tool_pins" (
    "upstream_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "approved_hash" TEXT NOT NULL,
    "approved_definition" TEXT NOT NULL,
    "seen_hash" TEXT,
    "seen_definition" TEXT,
    "approved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tool_pins_pkey" PRIMARY KEY ("upstream_id","name")
);

-- CreateIndex
CREATE UNIQUE INDEX "upstreams_uuid_key" ON "upstreams"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "upstreams_project_uuid_prefix_key" ON "upstreams"("project_uuid", "prefix");

-- AddForeignKey
ALTER TABLE "catalogues" ADD CONSTRAINT "catalogues_upstream_id_fkey" FOREIGN KEY ("upstream_id") REFERENCES "upstreams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_pins" ADD CONSTRAINT "tool_pins_upstream_id_fkey" FOREIGN KEY ("upstream_id") REFERENCES "upstreams"("id") ON DELETE CASCADE ON UPDATE CASCADE;
