/** The operations port is taken, or may not be used. Its message is for the person who starts the gateway. */
export class OperationsPortError extends Error {
  override readonly name = "OperationsPortError";

  static of(port: number, cause: unknown): OperationsPortError {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    const message = `The operations port ${port} cannot be listened on (${code}). Set OPS_PORT to a free port, or to 0 for any.`;
    return new OperationsPortError(message, { cause });
  }
}
