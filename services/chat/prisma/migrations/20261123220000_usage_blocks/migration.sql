-- Usage rows in blocks: what a flush writes is one row of arrays. A row with three indexes for each call took Postgres about four
-- times as long. Rows that are there stay: versions before this one go on writing them beside it, and so does this one those that may
-- still be corrected, and what lost leases are presumed to have spent.
CREATE TABLE "usage_blocks" (
    "month" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "of_users" BOOLEAN NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "user_keys" TEXT[] COLLATE "C",

    -- By kind: what rows have in common, and their sums.
    "endpoint_uuids" UUID[] NOT NULL,
    "project_uuids" UUID[] NOT NULL,
    "token_ids" INTEGER[] NOT NULL,
    "user_names" TEXT[] NOT NULL,
    "providers" TEXT[] NOT NULL,
    "models" TEXT[] NOT NULL,
    "outcomes" TEXT[] NOT NULL,
    "prices_unknown" BOOLEAN[] NOT NULL,
    "estimated" BOOLEAN[] NOT NULL,
    "requests_sums" INTEGER[] NOT NULL,
    "prompt_tokens_sums" BIGINT[] NOT NULL,
    "completion_tokens_sums" BIGINT[] NOT NULL,
    "cost_micros_sums" BIGINT[] NOT NULL,

    -- By row: its kind, from 1, and what is its alone.
    "kinds" SMALLINT[] NOT NULL,
    "call_ids" UUID[] NOT NULL,
    "offsets_ms" INTEGER[] NOT NULL,
    "request_ids" TEXT[] NOT NULL,
    "prompt_tokens" INTEGER[] NOT NULL,
    "cached_tokens" INTEGER[],
    "completion_tokens" INTEGER[] NOT NULL,
    "reasoning_tokens" INTEGER[],
    "costs_micros" BIGINT[] NOT NULL,

    CONSTRAINT "usage_blocks_pkey" PRIMARY KEY ("month", "id", "of_users")
);

-- Random values: an attempt to compress them takes longer than to write them.
ALTER TABLE "usage_blocks" ALTER "call_ids" SET STORAGE EXTERNAL, ALTER "request_ids" SET STORAGE EXTERNAL;

CREATE INDEX "usage_blocks_user_keys_idx" ON "usage_blocks" USING GIN ("user_keys");

-- All usage rows, whichever way they are stored.
CREATE VIEW "usage_rows" AS
SELECT "call_id", "endpoint_uuid", "project_uuid", "token_id", "user_name", "month", "settled_at", "request_id", "provider", "model",
    "outcome", "prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens", "cost_micros", "price_unknown", "estimated"
FROM "usage_records"
UNION ALL
SELECT r."call_id", b."endpoint_uuids"[r."kind"], b."project_uuids"[r."kind"], b."token_ids"[r."kind"], b."user_names"[r."kind"],
    b."month", b."first_at" + r."offset_ms" * interval '1 millisecond', r."request_id", b."providers"[r."kind"],
    b."models"[r."kind"], b."outcomes"[r."kind"], r."prompt_tokens", coalesce(r."cached_tokens", 0), r."completion_tokens",
    coalesce(r."reasoning_tokens", 0), r."cost_micros", b."prices_unknown"[r."kind"], b."estimated"[r."kind"]
FROM "usage_blocks" b CROSS JOIN LATERAL unnest(
    b."kinds", b."call_ids", b."offsets_ms", b."request_ids", b."prompt_tokens", b."cached_tokens", b."completion_tokens",
    b."reasoning_tokens", b."costs_micros"
) AS r("kind", "call_id", "offset_ms", "request_id", "prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens",
    "cost_micros");
