-- The code of an entry's error, by kind. Replicas of the earlier version leave the column out: null, as in all blocks before.
ALTER TABLE "gateway_log" ADD COLUMN "error_codes" TEXT[];

-- As before, with the new column at the end, where a view takes one.
CREATE OR REPLACE VIEW "gateway_log_entries" AS
SELECT b."id" * 1000 + e."place" AS "id", b."first_at" + e."offset_ms" * interval '1 millisecond' AS "at",
    e."request_id", e."trace_id", b."project_uuids"[e."kind"] AS "project_uuid", b."endpoint_uuids"[e."kind"] AS "endpoint_uuid",
    b."token_ids"[e."kind"] AS "token_id", b."user_names"[e."kind"] AS "user_name", b."routes"[e."kind"] AS "route",
    b."statuses"[e."kind"] AS "status", b."errors"[e."kind"] AS "error", e."duration_ms",
    b."providers"[e."kind"] AS "provider", b."models"[e."kind"] AS "model", b."attempts"[e."kind"] AS "attempts",
    e."prompt_tokens", e."completion_tokens", e."cost_micros", e."details"::json AS "details",
    b."last_at" AS "block_last_at", b."id" AS "block_id", b."error_codes"[e."kind"] AS "error_code"
FROM "gateway_log" b CROSS JOIN LATERAL unnest(
    b."kinds", b."offsets_ms", b."request_ids", b."trace_ids", b."durations_ms", b."prompt_tokens", b."completion_tokens",
    b."costs_micros", b."details"
) WITH ORDINALITY AS e("kind", "offset_ms", "request_id", "trace_id", "duration_ms", "prompt_tokens", "completion_tokens",
    "cost_micros", "details", "place");
