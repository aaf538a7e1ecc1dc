-- Each filter of the audit log's list leads an index, with the project in front and without, so that a page is one span of an index
-- (src/store/audit-reader.ts): a filter that fits few rows, or none, read the whole log before. Events wait in their services'
-- outboxes while the indexes are made, some ten seconds for each million rows.
CREATE INDEX "audit_log_severity_at_id_idx" ON "audit_log"("severity", "at", "id");

CREATE INDEX "audit_log_target_at_id_idx" ON "audit_log"("target", "at", "id");

CREATE INDEX "audit_log_chain_event_at_id_idx" ON "audit_log"("chain", "event", "at", "id");

CREATE INDEX "audit_log_chain_severity_at_id_idx" ON "audit_log"("chain", "severity", "at", "id");

CREATE INDEX "audit_log_chain_target_at_id_idx" ON "audit_log"("chain", "target", "at", "id");
