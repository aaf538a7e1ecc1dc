/** Options of the Node load generator, in the `key=value` form of the C one; `native/load.c` explains each. */
export interface LoadOptions {
  readonly port: number;
  readonly request: string;
  readonly connections: number;
  readonly seconds: number;
  readonly rate: number;
  readonly rampMs: number;
  readonly requests: number;
  readonly leaveAfter: number;
  readonly seed: number;
  readonly requestBytes: number;
  readonly timeoutMs: number;
  readonly status: number;
  readonly marker: string;
  readonly markers: number;
  readonly end: string;
}

/** Parses `key=value` arguments, with the C program's defaults. */
export function readLoadOptions(args: readonly string[]): LoadOptions {
  const given = new Map(args.map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]));
  const number = (key: string, fallback: number) => Number(given.get(key) ?? fallback);
  const text = (key: string) => given.get(key) ?? "";
  return {
    port: number("port", 0),
    request: text("request"),
    connections: number("connections", 1),
    seconds: number("seconds", 1),
    rate: number("rate", 0),
    rampMs: number("rampMs", 0),
    requests: number("requests", 10_000_000),
    leaveAfter: number("leaveAfter", 0),
    seed: number("seed", 1),
    requestBytes: number("requestBytes", 0),
    timeoutMs: number("timeoutMs", 10_000),
    status: number("status", 200),
    marker: text("marker"),
    markers: number("markers", 1),
    end: text("end"),
  };
}
