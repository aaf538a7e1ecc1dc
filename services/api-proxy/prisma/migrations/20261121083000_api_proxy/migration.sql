-- CreateTable
CREATE TABLE "endpoints" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "project_uuid" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "upstream_url" TEXT NOT NULL,
    "allowed_methods" TEXT[],
    "auth_type" TEXT NOT NULL,
    "auth_name" TEXT,
    "auth_secret" TEXT,
    "connection_id" INTEGER,
    "timeout_ms" INTEGER,
    "description" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_connections" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "project_uuid" UUID NOT NULL,
    "project_id" INTEGER NOT NULL,
    "project_name" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "token_url" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_secret" TEXT NOT NULL,
    "client_auth" TEXT NOT NULL,
    "grant" TEXT NOT NULL,
    "refresh_token" TEXT,
    "scopes" TEXT[],
    "status" TEXT NOT NULL DEFAULT 'connected',
    "last_error" TEXT NOT NULL DEFAULT '',
    "access_token" TEXT NOT NULL,
    "obtained_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_connections_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "endpoints_uuid_key" ON "endpoints"("uuid");

-- CreateIndex
CREATE INDEX "endpoints_connection_id_idx" ON "endpoints"("connection_id");

-- CreateIndex
CREATE UNIQUE INDEX "endpoints_project_uuid_slug_key" ON "endpoints"("project_uuid", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "oauth_connections_uuid_key" ON "oauth_connections"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "oauth_connections_project_uuid_name_key" ON "oauth_connections"("project_uuid", "name");

-- AddForeignKey
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_connection_id_fkey" FOREIGN KEY ("connection_id") REFERENCES "oauth_connections"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
