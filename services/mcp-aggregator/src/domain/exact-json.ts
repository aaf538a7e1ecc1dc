/** What a reviver is told of a primitive value (ECMAScript, "JSON.parse source text access"). */
interface JsonSource {
  readonly source?: string;
}

/** The same proposal's other half: a value that JSON.stringify writes as the text it was made of. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

/** Numbers that a JavaScript number may round: many digits, or a large exponent. */
const perhapsInexact = /[0-9.]{16}|[0-9][eE][+-]?[0-9]{2}/;

/**
 * Parses JSON so that JSON.stringify writes every number of it as it was, also one that JavaScript would round. Such a number is
 * an opaque object meanwhile. @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return perhapsInexact.test(text) ? (JSON.parse(text, keepExact) as unknown) : (JSON.parse(text) as unknown);
}

function keepExact(_key: string, ...[value, context]: readonly [unknown, JsonSource?]): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && String(value) !== source ? rawJson(source) : value;
}
