-- The last look for gaps in the services' numbers, of one replica for all: one row, with the events missing by service.
CREATE TABLE "audit_gap_search" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "begun_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "is_complete" BOOLEAN NOT NULL DEFAULT false,
    "missing" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_gap_search_pkey" PRIMARY KEY ("id")
);
