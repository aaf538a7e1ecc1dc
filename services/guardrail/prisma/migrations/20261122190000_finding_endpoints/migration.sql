-- CreateIndex
CREATE INDEX "findings_endpoint_uuid_idx" ON "findings"("endpoint_uuid");

-- CreateIndex
CREATE INDEX "feedback_endpoint_uuid_idx" ON "feedback"("endpoint_uuid");
