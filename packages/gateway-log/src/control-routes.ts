/** Public steps of a sign-in, as named by the router's table. */
export const signInRouteIds = ["sign_in_providers", "sign_in_start", "sign_in_return"] as const;

/** Routes whose entries are calls of the Control Plane, by keys and by the console, sign-ins included. */
export const controlRouteIds = [
  "control_mcp",
  "console_sign_in",
  "console_session",
  "console_sign_out",
  ...signInRouteIds,
] as const;
/** Id of a route of the Control Plane, as in the router's table and the log's `route`. */
export type ControlRouteId = (typeof controlRouteIds)[number];
