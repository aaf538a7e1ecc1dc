/** Keys whose events are sent to webhooks of every project (docs/webhooks.md). */
const wide = /^(?:admin_key|auth|backup|credential|provider)\.|^project\.created$/;

/**
 * Events that a person may choose for a webhook.
 * @param isConfined whether the person's role is for named projects
 */
export function choosableEvents(keys: readonly unknown[], isConfined: boolean): readonly string[] {
  const known = keys.filter((key) => typeof key === "string");
  return isConfined ? known.filter((key) => !wide.test(key)) : known;
}

/**
 * Whether a webhook's operations, and its deliveries, need a role for the whole gateway that the person lacks: the gateway refuses
 * all but its line in the list.
 */
export function isBeyondReach({ events }: { readonly events: readonly string[] }, isConfined: boolean): boolean {
  return choosableEvents(events, isConfined).length < events.length;
}
