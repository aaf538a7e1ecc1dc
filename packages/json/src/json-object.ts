/** An object of parsed JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;
