-- CreateTable
CREATE TABLE "providers" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "base_url" TEXT,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "providers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credentials" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "sealed_key" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoints" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "project_uuid" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "targets" JSONB NOT NULL,
    "description" TEXT,
    "system_prompt" TEXT,
    "parameters" JSONB,
    "streaming_enabled" BOOLEAN NOT NULL DEFAULT false,
    "expose_as_mcp_tool" BOOLEAN NOT NULL DEFAULT false,
    "max_request_tokens" INTEGER,
    "monthly_budget_micros" BIGINT,
    "input_schema" JSONB,
    "output_schema" JSONB,
    "timeout_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "providers_name_key" ON "providers"("name");

-- CreateIndex
CREATE UNIQUE INDEX "credentials_uuid_key" ON "credentials"("uuid");

-- CreateIndex
CREATE INDEX "credentials_provider_id_idx" ON "credentials"("provider_id");

-- CreateIndex
CREATE UNIQUE INDEX "endpoints_uuid_key" ON "endpoints"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "endpoints_project_uuid_slug_key" ON "endpoints"("project_uuid", "slug");

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "providers"("id") ON DELETE CASCADE ON UPDATE CASCADE;


