-- Partitions are made and dropped by the service, a day each. Prisma's own SQL has no word for them.
CREATE TABLE "gateway_log" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT NOT NULL,
    "trace_id" TEXT,
    "project_uuid" UUID,
    "endpoint_uuid" UUID,
    "token_id" INTEGER,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "error" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "provider" TEXT,
    "model" TEXT,
    "attempts" INTEGER NOT NULL,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "cost_micros" BIGINT,
    "details" JSON,

    CONSTRAINT "gateway_log_pkey" PRIMARY KEY ("at", "id")
) PARTITION BY RANGE ("at");

CREATE INDEX "gateway_log_project_uuid_at_id_idx" ON "gateway_log"("project_uuid", "at", "id");

CREATE INDEX "gateway_log_request_id_idx" ON "gateway_log"("request_id");

-- What is asked for by status is mostly an error, and errors are few.
CREATE INDEX "gateway_log_failed_at_id_idx" ON "gateway_log"("at", "id") WHERE "status" >= 400;

CREATE TABLE "gateway_log_batches" (
    "id" TEXT NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "gateway_log_batches_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "gateway_log_batches_stored_at_idx" ON "gateway_log_batches"("stored_at");

-- Chains are in byte order, as the walk through them reckons, whatever the database's language.
CREATE TABLE "audit_log" (
    "id" BIGSERIAL NOT NULL,
    "chain" TEXT COLLATE "C" NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "event" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "project_id" INTEGER,
    "project_uuid" TEXT,
    "project_name" TEXT,
    "target" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "ip_address" TEXT NOT NULL,
    "traceparent" TEXT NOT NULL,
    "prev_hash" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "audit_log_event_id_key" ON "audit_log"("event_id");

CREATE UNIQUE INDEX "audit_log_chain_sequence_key" ON "audit_log"("chain", "sequence");

CREATE INDEX "audit_log_at_id_idx" ON "audit_log"("at", "id");

CREATE INDEX "audit_log_chain_at_id_idx" ON "audit_log"("chain", "at", "id");

CREATE INDEX "audit_log_event_at_id_idx" ON "audit_log"("event", "at", "id");

CREATE TABLE "audit_heads" (
    "chain" TEXT COLLATE "C" NOT NULL,
    "sequence" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_heads_pkey" PRIMARY KEY ("chain")
);

CREATE FUNCTION "refuse_change_of_audit_log"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit log is append-only: % is refused.', TG_OP USING ERRCODE = '42501';
END
$$;

CREATE TRIGGER "audit_log_is_append_only"
    BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_audit_log"();
