/** Context that a reviver gets for a primitive value (ECMAScript, "JSON.parse source text access"). */
interface JsonSource {
  readonly source?: string;
}

/** Writer of the other half of that proposal: values that JSON.stringify writes as the text that they were made of. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** Numbers that a JavaScript number may round: many digits, or an exponent. */
const perhapsInexact = /[0-9.]{16}|[0-9][eE][+-]?[0-9]/;

/**
 * Parses JSON so that JSON.stringify writes every number of it as exactly as it was, also one that JavaScript would round, such as
 * 12345678901234567890. Such a number is an opaque object meanwhile. It recurses, at about a microsecond a value: for texts whose
 * nesting and number of values were bounded before. @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return perhapsInexact.test(text) ? (JSON.parse(text, keepExact) as unknown) : (JSON.parse(text) as unknown);
}

function keepExact(_key: string, ...[value, context]: readonly [unknown, JsonSource?]): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}
