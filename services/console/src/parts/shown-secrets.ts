import { useState } from "react";

/** Secrets that are shown once, each until the person has confirmed it: a later one does not replace it. */
export function useShownSecrets<Secret extends { readonly id: number }>() {
  const [shown, setShown] = useState<readonly Secret[]>([]);
  // Setters without the present list, so that columns of tables can keep them.
  const [changes] = useState(() => ({
    show: (secret: Secret) => setShown((before) => withSecret(before, secret)),
    confirm: ({ id }: Secret) => setShown((before) => before.filter((each) => each.id !== id)),
  }));
  return { shown, ...changes };
}

/** The shown secrets with a new one in front. It replaces an earlier one of the same thing, which is no longer valid. */
export function withSecret<Secret extends { readonly id: number }>(
  shown: readonly Secret[],
  secret: Secret,
): readonly Secret[] {
  return [secret, ...shown.filter(({ id }) => id !== secret.id)];
}
