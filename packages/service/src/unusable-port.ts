import { codeOf } from "@gatehouse/errors";

/** A port that a process listens on, as its operator has set it. */
export interface PortSetting {
  /** Purpose, as the message names it. */
  readonly purpose: "HTTP" | "gRPC" | "operations";
  readonly port: number;
  /** Names of the settings of address and port. */
  readonly settings: { readonly host: string; readonly port: string };
}

/** A port that a service opens itself is not available. The message names the setting, for the operator. */
export class UnusablePortError extends Error {
  override readonly name = "UnusablePortError";
}

/** Names the setting in a failure to open a port; returns a failure with another reason unchanged. */
export function toPortError({ purpose, port, settings }: PortSetting, failure: unknown): unknown {
  const code = codeOf(failure);
  const ofPort = portCodes.has(code)
    ? `The ${purpose} port ${port} cannot be opened (${code}). Set ${settings.port} to a free port, or to 0 for any.`
    : undefined;
  const message = hostProblem(settings.host, failure) ?? ofPort;
  return message === undefined ? failure : new UnusablePortError(message, { cause: failure });
}

/** Codes of a port that another process uses, and of one that this user may not use. */
const portCodes: ReadonlySet<string | undefined> = new Set(["EADDRINUSE", "EACCES"]);

/** Codes of a name that cannot be resolved, and of an address that this machine does not have. */
const hostCodes: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EAI_AGAIN", "EINVAL", "ENOTFOUND"]);

/** The problem of a setting with a host to listen on; undefined where the failure has another reason. */
export function hostProblem(setting: string, failure: unknown): string | undefined {
  const code = codeOf(failure);
  if (code === undefined || !hostCodes.has(code)) return undefined;
  return `${setting} must be an address of this machine (${code}), such as 127.0.0.1, or 0.0.0.0 for all of them.`;
}
