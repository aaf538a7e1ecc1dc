/** In the cache: whether the gateway has refused the session since it began. */
export const sessionEndedKey = ["session-ended"] as const;
