/** Reasons to refuse a JSON text: its form, its depth, its size, or a key that parsers read differently. */
export type JsonRefusalKind = "malformed" | "too_deep" | "too_many_values" | "key_too_long" | "ambiguous_key";

/**
 * A JSON text that is refused. The message completes a sentence that begins with the text's name ("Request body …"), is safe to
 * send to its sender, and quotes nothing of the text but an ambiguous key, cut.
 */
export class JsonRefusal extends Error {
  override readonly name = "JsonRefusal";
  readonly kind: JsonRefusalKind;

  constructor(kind: JsonRefusalKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
