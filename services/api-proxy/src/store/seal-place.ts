import type { SealedColumn } from "@gatehouse/database";

/** Places to which sealed values are bound, so that one copied to another row or column does not open. */
export const sealPlaceOf = {
  endpoint: (uuid: string) => `api_proxy.endpoints/${uuid}/auth_secret`,
  connection: (uuid: string, column: "client_secret" | "refresh_token" | "access_token") =>
    `api_proxy.oauth_connections/${uuid}/${column}`,
} as const;

/** Columns that key rotation reseals. A backup with secrets includes those with `backup`; access tokens are renewed instead. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: "endpoints",
    column: "auth_secret",
    placeOf: sealPlaceOf.endpoint,
    backup: {
      query: "SELECT uuid, auth_secret AS sealed, 'endpoint/' || uuid || '/auth' AS place FROM endpoints",
      hasReferences: false,
    },
  },
  ...(["client_secret", "refresh_token"] as const).map((column) => ({
    ...connectionColumn(column),
    backup: {
      query: `SELECT uuid, ${column} AS sealed, 'oauth_connection/' || id || '/${column}' AS place FROM oauth_connections`,
      // Places of a project's secrets have its uuid in their names.
      hasReferences: false,
    },
  })),
  connectionColumn("access_token"),
];

function connectionColumn(column: "client_secret" | "refresh_token" | "access_token"): SealedColumn {
  return { table: "oauth_connections", column, placeOf: (uuid) => sealPlaceOf.connection(uuid, column) };
}
