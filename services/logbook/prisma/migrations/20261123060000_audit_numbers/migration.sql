-- Events as their services number them: a number that is not here was held back on its way. Beside the log and not in it, since
-- a row of the log never changes and an event may come without its number first. Services are in byte order, as above.
CREATE TABLE "audit_numbers" (
    "service" TEXT COLLATE "C" NOT NULL,
    "number" BIGINT NOT NULL,
    "event_id" TEXT NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_numbers_pkey" PRIMARY KEY ("service", "number")
);

CREATE UNIQUE INDEX "audit_numbers_event_id_key" ON "audit_numbers"("event_id");

CREATE TRIGGER "audit_numbers_is_append_only"
    BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_numbers"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_audit_log"();
