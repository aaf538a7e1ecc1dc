/** Stands for what has not arrived yet, so that a reader needs no promise for what has. */
export const later: unique symbol = Symbol("later");

export type Later = typeof later;
