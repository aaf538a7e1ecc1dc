-- The gateway log in blocks: a message's entries are one row of arrays. A row and five indexes for each entry took Postgres five
-- times as long, and seven times the disk. Rows that are there become blocks; while this runs, messages wait.
ALTER TABLE "gateway_log" RENAME TO "gateway_log_rows";
ALTER INDEX "gateway_log_pkey" RENAME TO "gateway_log_rows_pkey";
ALTER SEQUENCE "gateway_log_id_seq" RENAME TO "gateway_log_rows_id_seq";

CREATE TABLE "gateway_log" (
    "id" BIGSERIAL NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "keys" TEXT[] COLLATE "C" NOT NULL,

    -- By kind: what entries have in common.
    "project_uuids" UUID[] NOT NULL,
    "endpoint_uuids" UUID[] NOT NULL,
    "token_ids" INTEGER[] NOT NULL,
    "user_names" TEXT[] NOT NULL,
    "routes" TEXT[] NOT NULL,
    "statuses" INTEGER[] NOT NULL,
    "errors" TEXT[] NOT NULL,
    "providers" TEXT[] NOT NULL,
    "models" TEXT[] NOT NULL,
    "attempts" INTEGER[] NOT NULL,

    -- By entry: its kind, from 1, and what is its alone.
    "kinds" SMALLINT[] NOT NULL,
    "offsets_ms" INTEGER[] NOT NULL,
    "request_ids" TEXT[] COLLATE "C" NOT NULL,
    "trace_ids" TEXT[],
    "durations_ms" INTEGER[] NOT NULL,
    "prompt_tokens" INTEGER[],
    "completion_tokens" INTEGER[],
    "costs_micros" BIGINT[],
    "details" TEXT[],

    CONSTRAINT "gateway_log_pkey" PRIMARY KEY ("last_at", "id")
) PARTITION BY RANGE ("last_at");

-- Random texts: an attempt to compress them takes half of the time that the whole block takes.
ALTER TABLE "gateway_log" ALTER "request_ids" SET STORAGE EXTERNAL, ALTER "trace_ids" SET STORAGE EXTERNAL;

CREATE INDEX "gateway_log_keys_idx" ON "gateway_log" USING GIN ("keys") WITH (gin_pending_list_limit = 512);
-- The list of what waits to be indexed is short, so that no statement is held up for long by its end.
CREATE INDEX "gateway_log_request_ids_idx" ON "gateway_log" USING GIN ("request_ids") WITH (gin_pending_list_limit = 512);

-- An entry's id: its block's, and its place there (`blockEntriesMax` is 500).
CREATE VIEW "gateway_log_entries" AS
SELECT b."id" * 1000 + e."place" AS "id", b."first_at" + e."offset_ms" * interval '1 millisecond' AS "at",
    e."request_id", e."trace_id", b."project_uuids"[e."kind"] AS "project_uuid", b."endpoint_uuids"[e."kind"] AS "endpoint_uuid",
    b."token_ids"[e."kind"] AS "token_id", b."user_names"[e."kind"] AS "user_name", b."routes"[e."kind"] AS "route",
    b."statuses"[e."kind"] AS "status", b."errors"[e."kind"] AS "error", e."duration_ms",
    b."providers"[e."kind"] AS "provider", b."models"[e."kind"] AS "model", b."attempts"[e."kind"] AS "attempts",
    e."prompt_tokens", e."completion_tokens", e."cost_micros", e."details"::json AS "details",
    b."last_at" AS "block_last_at", b."id" AS "block_id"
FROM "gateway_log" b CROSS JOIN LATERAL unnest(
    b."kinds", b."offsets_ms", b."request_ids", b."trace_ids", b."durations_ms", b."prompt_tokens", b."completion_tokens",
    b."costs_micros", b."details"
) WITH ORDINALITY AS e("kind", "offset_ms", "request_id", "trace_id", "duration_ms", "prompt_tokens", "completion_tokens",
    "cost_micros", "details", "place");

-- Each day's partition, under the name that the rows' partition had.
DO $$
DECLARE
  day RECORD;
BEGIN
  FOR day IN
    SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = '"gateway_log_rows"'::regclass
  LOOP
    EXECUTE format('ALTER TABLE %I RENAME TO %I', day.name, 'rows_of_' || day.name);
    EXECUTE format('CREATE TABLE %I PARTITION OF "gateway_log" %s', day.name, day.bounds);
  END LOOP;
END $$;

-- Each entry is a kind by itself here, and a block holds a hundred kinds (`blockKindsMax`).
INSERT INTO "gateway_log" ("first_at", "last_at", "keys", "project_uuids", "endpoint_uuids", "token_ids", "user_names", "routes",
    "statuses", "errors", "providers", "models", "attempts", "kinds", "offsets_ms", "request_ids", "trace_ids", "durations_ms",
    "prompt_tokens", "completion_tokens", "costs_micros", "details")
SELECT b."first_at", b."last_at", k."keys", b."project_uuids", b."endpoint_uuids", b."token_ids", b."user_names", b."routes",
    b."statuses", b."errors", b."providers", b."models", b."attempts",
    ARRAY(SELECT generate_series(1, cardinality(b."times"))::smallint),
    ARRAY(SELECT round(extract(epoch FROM t."at" - b."first_at") * 1000)::int
        FROM unnest(b."times") WITH ORDINALITY AS t("at", "place") ORDER BY t."place"),
    b."request_ids", b."trace_ids", b."durations_ms", b."prompt_tokens", b."completion_tokens", b."costs_micros", b."details"
FROM (
    SELECT min("at") AS "first_at", max("at") AS "last_at", array_agg("at" ORDER BY "at", "id") AS "times",
        array_agg("project_uuid" ORDER BY "at", "id") AS "project_uuids",
        array_agg("endpoint_uuid" ORDER BY "at", "id") AS "endpoint_uuids",
        array_agg("token_id" ORDER BY "at", "id") AS "token_ids", array_agg("user_name" ORDER BY "at", "id") AS "user_names",
        array_agg("route" ORDER BY "at", "id") AS "routes", array_agg("status" ORDER BY "at", "id") AS "statuses",
        array_agg("error" ORDER BY "at", "id") AS "errors", array_agg("provider" ORDER BY "at", "id") AS "providers",
        array_agg("model" ORDER BY "at", "id") AS "models", array_agg("attempts" ORDER BY "at", "id") AS "attempts",
        array_agg("request_id" ORDER BY "at", "id") AS "request_ids", array_agg("trace_id" ORDER BY "at", "id") AS "trace_ids",
        array_agg("duration_ms" ORDER BY "at", "id") AS "durations_ms",
        array_agg("prompt_tokens" ORDER BY "at", "id") AS "prompt_tokens",
        array_agg("completion_tokens" ORDER BY "at", "id") AS "completion_tokens",
        array_agg("cost_micros" ORDER BY "at", "id") AS "costs_micros",
        array_agg("details"::text ORDER BY "at", "id") AS "details"
    FROM (
        SELECT *, date_bin('10 minutes', "at", timestamptz '1970-01-01T00:00Z') AS "part",
            (row_number() OVER (
                PARTITION BY date_bin('10 minutes', "at", timestamptz '1970-01-01T00:00Z') ORDER BY "at", "id"
            ) - 1) / 100 AS "number"
        FROM "gateway_log_rows"
    ) AS r
    GROUP BY "part", "number"
    ORDER BY "part", "number"
) AS b CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT left(e."key", 200)) AS "keys"
    FROM unnest(b."project_uuids", b."endpoint_uuids", b."token_ids", b."user_names", b."routes", b."statuses", b."errors",
        b."providers", b."models") AS r("project", "endpoint", "token", "user", "route", "status", "error", "provider", "model")
    CROSS JOIN LATERAL (VALUES ('project:' || r."project"), ('endpoint:' || r."endpoint"), ('token:' || r."token"),
        ('user:' || r."user"), ('route:' || r."route"), ('status:' || r."status"), ('class:' || r."status" / 100),
        ('provider:' || r."provider"), ('model:' || r."model"), (CASE WHEN r."error" IS NOT NULL THEN 'error' END),
        (CASE WHEN r."status" >= 400 THEN 'project:' || r."project" || '/class:' || r."status" / 100 END)) AS e("key")
    WHERE e."key" IS NOT NULL
) AS k;

DROP TABLE "gateway_log_rows";
