/** Context that a reviver gets for a primitive value (ECMAScript, "JSON.parse source text access"). */
interface JsonSource {
  readonly source?: string;
}

/** The proposal's counterpart: a value that JSON.stringify writes as the given text. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** Numbers that JavaScript may round: many digits, or an exponent. */
const perhapsInexact = /[0-9.]{16}|[0-9][eE][+-]?[0-9]/;

/**
 * Parses JSON so that JSON.stringify writes every number exactly, also those that JavaScript would round, such as
 * 12345678901234567890; these are opaque objects meanwhile. Recursive, about a microsecond a value: only for texts with bounded
 * nesting and number of values.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return perhapsInexact.test(text) ? (JSON.parse(text, keepExact) as unknown) : (JSON.parse(text) as unknown);
}

function keepExact(_key: string, ...[value, context]: readonly [unknown, JsonSource?]): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}
