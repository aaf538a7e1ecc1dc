/** Characters of a JWT that is looked at; the head of a request has room for twice as many. */
export const jwtLengthMax = 8_192;

/** A header that is a JSON object, a payload and a signature, the last of which may be empty: `alg: none` is refused by name. */
const form = /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]*$/;

/** Whether a text has the form of a signed JWT (RFC 7519, section 3), of whatever length. */
export function isJwtForm(text: string): boolean {
  return form.test(text);
}
