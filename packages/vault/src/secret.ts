import { inspect } from "node:util";

/** A value that must not be printed. It shows as `[redacted]` wherever it is logged, serialised or inspected. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /**
   * Reference of a secret that is kept elsewhere, which is stored instead of the value; else undefined. Only a `SecretSource`
   * creates such secrets, so that external text is never taken for a reference.
   */
  get reference(): string | undefined {
    return undefined;
  }

  /**
   * The plaintext. Call it where the value is used, and do not store the result.
   * @throws GatewayError `unavailable` for a secret that is kept elsewhere and cannot be read there now.
   */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }

  [inspect.custom](): string {
    return "[redacted]";
  }
}

/** A secret that is kept elsewhere: read on each reveal, so that a rotation there takes effect. */
export class ExternalSecret extends Secret {
  readonly #reference: string;
  readonly #read: () => string;

  constructor(reference: string, read: () => string) {
    super("");
    this.#reference = reference;
    this.#read = read;
  }

  override get reference(): string {
    return this.#reference;
  }

  override reveal(): string {
    return this.#read();
  }
}
