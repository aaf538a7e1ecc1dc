-- Sessions of endpoints that are gone already: nothing else deletes them.
DELETE FROM "sessions" WHERE NOT EXISTS (SELECT FROM "endpoints" WHERE "endpoints"."uuid" = "sessions"."endpoint_uuid");

-- CreateIndex
CREATE INDEX "sessions_endpoint_uuid_idx" ON "sessions"("endpoint_uuid");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_endpoint_uuid_fkey" FOREIGN KEY ("endpoint_uuid") REFERENCES "endpoints"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
