/** Longest line that is shown whole, characters. */
const lineLengthMax = 4_096;
const timeStart = 11;
const timeEnd = 23;

interface LogLine {
  readonly level: string;
  readonly time: string | number;
  readonly msg: string;
}

/**
 * Formats one line of a service's log (pino, levels by name) for people: `12:00:01.123 chat  warn   NATS cannot be used; …
 * {"…":…}`. Text that is not JSON stays unchanged.
 */
export function formatLogLine(name: string, line: string): string {
  const shown = line.length > lineLengthMax ? `${line.slice(0, lineLengthMax)}…` : line;
  const parsed = parse(line);
  if (parsed === undefined) return `${name} ${shown}`;
  const { level, time, msg, ...rest } = parsed;
  for (const known of ["pid", "hostname", "service", "name"]) delete (rest as Record<string, unknown>)[known];
  const at = new Date(time).toISOString().slice(timeStart, timeEnd);
  const details = Object.keys(rest).length === 0 ? "" : ` ${JSON.stringify(rest).slice(0, lineLengthMax)}`;
  return `${at} ${name} ${level.padEnd(5)} ${msg}${details}`;
}

/** Calls back for each whole line of a stream. */
export function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  let held = "";
  return (chunk) => {
    const lines = (held + decoder.decode(chunk, { stream: true })).split("\n");
    held = (lines.pop() ?? "").slice(0, 16 * lineLengthMax);
    for (const line of lines) if (line !== "") onLine(line);
  };
}

function parse(line: string): LogLine | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { level, time, msg, ...rest } = JSON.parse(line) as Partial<LogLine>;
    const isTime = (typeof time === "string" || typeof time === "number") && !Number.isNaN(new Date(time).getTime());
    return typeof level === "string" && isTime && typeof msg === "string" ? { level, time, msg, ...rest } : undefined;
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
}
