/** One Ctrl-C may arrive twice: from the terminal and passed on by a parent, such as npm. */
const repeatedSignalMs = 1_000;

/**
 * Runs `end` once, on the first SIGINT or SIGTERM, then exits: 0 when it went well. Another signal a second or more
 * later exits at once.
 */
export function onSignal(process: NodeJS.Process, end: () => Promise<void>): void {
  let firstAt: number | undefined;
  const handle = (): void => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt >= repeatedSignalMs) process.exit(1);
      return;
    }
    firstAt = performance.now();
    end().then(
      () => process.exit(0),
      (err: unknown) => {
        process.stderr.write(`Stopping failed: ${err instanceof Error ? err.message : "unknown"}\n`);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
}
