// What the addresses of pages hold after their question mark; anything else in them is dropped.

type Search = Readonly<Record<string, unknown>>;

export interface DeliverySearch {
  readonly success?: boolean;
  readonly cursor?: string;
  /** A delivery's uuid. */
  readonly delivery?: string;
}

export function readDeliverySearch(search: Search): DeliverySearch {
  const { success } = search;
  return { ...texts(search, ["cursor", "delivery"]), ...(typeof success === "boolean" && { success }) };
}

/** The named texts of a search, as far as they are there. A number in an address was a text. */
function texts<Name extends string>(search: Search, names: readonly Name[]): Partial<Record<Name, string>> {
  const found = names.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [];
  });
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}
