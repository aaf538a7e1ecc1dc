CREATE INDEX "gateway_log_endpoint_uuid_at_id_idx" ON "gateway_log"("endpoint_uuid", "at", "id");

CREATE INDEX "gateway_log_token_id_at_id_idx" ON "gateway_log"("token_id", "at", "id");
