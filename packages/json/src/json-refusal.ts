/** Reasons to refuse a JSON text: its form, depth, size, or a key that parsers read differently. */
export type JsonRefusalKind = "malformed" | "too_deep" | "too_many_values" | "key_too_long" | "ambiguous_key";

/**
 * Refusal of a JSON text. The message completes a sentence that begins with the text's name ("Request body …"), is safe for its
 * sender, and quotes at most an ambiguous key, cut.
 */
export class JsonRefusal extends Error {
  override readonly name = "JsonRefusal";
  readonly kind: JsonRefusalKind;
  /** Message for logs, without any part of the refused text. */
  readonly loggedMessage: string;

  constructor(
    kind: JsonRefusalKind,
    message: string,
    options: ErrorOptions & { readonly loggedMessage?: string } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.loggedMessage = options.loggedMessage ?? message;
  }

  /** Message without its full stop, for use inside a longer sentence. */
  get clause(): string {
    return this.message.replace(/\.$/, "");
  }
}

/** The refusal of a text that holds more than `max` of something. @param parts the name of the counted parts: "values" */
export function holdsTooMany(max: number, parts: string): JsonRefusal {
  return new JsonRefusal("too_many_values", `must not hold more than ${max} ${parts}.`);
}

/** The refusal of a text that is nested more than `depthMax` levels deep. */
export function nestedTooDeep(depthMax: number): JsonRefusal {
  return new JsonRefusal("too_deep", `must not be nested more than ${depthMax} levels deep.`);
}
