interface ServerSettings {
  readonly port: number;
  readonly throwaway: boolean;
  /** Sessions; {@link defaultConnectionsMax} where absent. */
  readonly connectionsMax?: number | undefined;
}

/** Default bound of sessions; an idle one costs nothing, a used one about 8 MB. */
const defaultConnectionsMax = 200;

const fixedSettings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  timezone: "UTC",
  log_timezone: "UTC",
  shared_buffers: "128MB",
  max_wal_size: "512MB",
  jit: "off",
  log_checkpoints: "off",
  // The log must never contain stored data: neither statement texts nor DETAIL lines with a row's values.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
};

/** Settings that give up durability for speed. */
const throwawaySettings: Readonly<Record<string, string>> = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
};

/** Settings as `postgres` arguments, so that a new release changes them for existing data too. */
export function toServerArguments({
  port,
  throwaway,
  connectionsMax = defaultConnectionsMax,
}: ServerSettings): string[] {
  const own = { port: String(port), max_connections: String(connectionsMax) };
  const settings = { ...fixedSettings, ...(throwaway ? throwawaySettings : {}), ...own };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
