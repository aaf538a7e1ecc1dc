/** Reasons to refuse a JSON text: its form, its depth, its size, or a key that parsers read differently. */
export type JsonRefusalKind = "malformed" | "too_deep" | "too_many_values" | "key_too_long" | "ambiguous_key";

/**
 * A JSON text that is refused. The message completes a sentence that begins with the text's name ("Request body …"), is safe to
 * send to its sender, and quotes nothing of the text but an ambiguous key, cut.
 */
export class JsonRefusal extends Error {
  override readonly name = "JsonRefusal";
  readonly kind: JsonRefusalKind;
  /** For logs: the message without words of the text that is refused. */
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
}
