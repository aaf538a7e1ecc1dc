-- What has ended, by webhook: how a receiver answered last is found without a walk over the backlog before it. It costs each delivery one
-- entry, at its end: that update changes the entries of other indexes already, since "state" is in their conditions. Rows of old versions
-- are entered here once, while deliveries wait.
CREATE INDEX "deliveries_done_idx" ON "deliveries"("webhook_id", "id") WHERE "state" = 'done';
