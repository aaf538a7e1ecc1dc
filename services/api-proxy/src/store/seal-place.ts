import type { SealedColumn } from "@gatehouse/database";

/** Where sealed values are stored: what each is bound to, so that one copied to another row, or column, does not open. */
export const sealPlaceOf = {
  endpoint: (uuid: string) => `api_proxy.endpoints/${uuid}/auth_secret`,
  connection: (uuid: string, column: "client_secret" | "refresh_token" | "access_token") =>
    `api_proxy.oauth_connections/${uuid}/${column}`,
} as const;

/** Where they are stored, each in its own column. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "endpoints", column: "auth_secret", placeOf: sealPlaceOf.endpoint },
  ...(["client_secret", "refresh_token", "access_token"] as const).map((column) => ({
    table: "oauth_connections",
    column,
    placeOf: (uuid: string) => sealPlaceOf.connection(uuid, column),
  })),
];
