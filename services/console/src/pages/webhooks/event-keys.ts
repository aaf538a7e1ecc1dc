/** Events of the whole gateway, and of new projects (docs/events.md, docs/webhooks.md). */
const wide = /^(?:admin_key|auth|backup|credential|provider)\.|^project\.created$/;

/**
 * Events that a person may choose for a webhook.
 * @param isConfined whether the person's role is for named projects
 */
export function choosableEvents(keys: readonly unknown[], isConfined: boolean): readonly string[] {
  const known = keys.filter((key) => typeof key === "string");
  return isConfined ? known.filter((key) => !wide.test(key)) : known;
}
