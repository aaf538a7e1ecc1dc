import { setTimeout as delay } from "node:timers/promises";
import { startDispatcher } from "./dispatcher.ts";
import { openLedger } from "./ledger.ts";

/** Violations under concurrent changes, and whether the load was sufficient. */
export interface ChangeReport {
  readonly arrivals: number;
  readonly violations: readonly string[];
}

/**
 * Rotates, moves, deactivates and deletes webhooks under load. Invariant: a delivery uses its webhook's settings as committed
 * when it starts, so after the answer to a change that forbids it nothing starts, except what was in flight.
 */
export async function changeUnderLoad(databaseUrl: string): Promise<ChangeReport> {
  const ledger = await openLedger({ databaseUrl, behaviours: ["ok", "ok", "ok", "ok"] });
  const dispatcher = await startDispatcher({ databaseUrl, keyring: ledger.keyring });
  const [rotated, moved, switchedOff, deleted] = ledger.webhooks;
  if (!rotated || !moved || !switchedOff || !deleted) throw new Error("Webhooks are missing.");
  const violations: string[] = [];
  const stopping = new AbortController();
  const feeding = (async () => {
    while (!stopping.signal.aborted) {
      await ledger.feed(ledger.newEvent(), async (messages) => await dispatcher.store(messages));
      await delay(5);
    }
  })();
  const arrivalsOf = (name: string) => ledger.receivers.arrivals.filter((arrival) => arrival.name === name);

  try {
    await until(() => ledger.receivers.arrivals.length > arrivalsMin);
    for (let round = 0; round < 3; round++) {
      const rotation = { webhook_id: rotated.id, overlap_seconds: 0 };
      const { secret } = await ledger.admin.call<{ readonly secret: string }>("svc_rotate_webhook_secret", rotation);
      const secrets = ledger.receivers.secrets.get(rotated.name) ?? [];
      secrets.push(secret);
      const startedBefore = performance.now() + inFlightMs;
      await until(() => arrivalsOf(rotated.name).filter(({ at }) => at > startedBefore).length > arrivalsMin);
      const late = arrivalsOf(rotated.name).filter(
        ({ at, signedBy }) => at > startedBefore && signedBy !== secrets.length - 1,
      );
      if (late.length > 0) violations.push(`${late.length} deliveries were signed with a secret that had ended`);
    }
    const url = `${ledger.receivers.url}/ok/elsewhere`;
    ledger.receivers.secrets.set("elsewhere", ledger.receivers.secrets.get(moved.name) ?? []);
    await ledger.admin.call("svc_update_webhook", { webhook_id: moved.id, url });
    await ledger.admin.call("svc_set_webhook_active", { webhook_id: switchedOff.id, is_active: false });
    await ledger.admin.call("svc_delete_webhook", { webhook_id: deleted.id });
    const changedAt = performance.now() + inFlightMs;
    await until(() => arrivalsOf("elsewhere").filter(({ at }) => at > changedAt).length > arrivalsMin);
    for (const { name } of [moved, switchedOff, deleted]) {
      const late = arrivalsOf(name).filter(({ at }) => at > changedAt);
      if (late.length > 0) violations.push(`${late.length} deliveries went to ${name} after it had been changed`);
    }
    if (arrivalsOf("elsewhere").length === 0) violations.push("nothing went to the new address");
    const unsigned = ledger.receivers.arrivals.filter(({ signedBy }) => signedBy < 0);
    if (unsigned.length > 0) violations.push(`${unsigned.length} arrivals do not verify`);
    return { arrivals: ledger.receivers.arrivals.length, violations };
  } finally {
    stopping.abort();
    await feeding;
    await dispatcher.kill();
    await ledger.stop();
  }
}

/** Time from a start's commit to the arrival, on a busy machine. */
const inFlightMs = 400;
/** Arrivals that prove that deliveries are in progress, and later that they continue. */
const arrivalsMin = 20;

/** Waits until a condition holds, bounded by the test's time-out. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}
