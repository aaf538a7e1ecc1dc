import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { Secret } from "@gatehouse/vault";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 30 characters of 62 are 178 bits. */
const bodyLength = 30;
const checksumLength = 6;
const adminPrefix = "svc_admin_";
const tokenPrefixes = { live: "svc_live_", test: "svc_test_" } as const;
/** The largest multiple of 62 in a byte: bytes from it on are drawn again, so that every character is equally likely. */
const unbiasedBelow = 248;
const drawnBytes = 48;

/** Characters after the prefix that an admin key must have which an operator chooses; 32 hexadecimal ones are 128 bits. */
export const adminKeyBodyLengthMin = 32;
const chosenKeyForm = /^[\x21-\x7e]+$/;

const tokenForm = /^svc_(?:live|test)_[0-9A-Za-z]{36}$/;

/** `live` or `test`: says so in the token's prefix, and changes nothing else. */
export type TokenEnvironment = keyof typeof tokenPrefixes;

/** A new access token: the prefix, 30 random characters, and a checksum of both. */
export function mintToken(environment: TokenEnvironment): Secret {
  return mint(tokenPrefixes[environment]);
}

/** A new admin key, in the form of an access token. */
export function mintAdminKey(): Secret {
  return mint(adminPrefix);
}

/** SHA-256 of the plaintext, 32 bytes: all that is ever stored or sent of a token or an admin key. */
export function hashToken(plaintext: string): Buffer {
  return createHash("sha256").update(plaintext).digest();
}

/** Whether a text claims to be an access token; one that does not is `Invalid token format.` */
export function hasTokenPrefix(text: string): boolean {
  return text.startsWith(tokenPrefixes.live) || text.startsWith(tokenPrefixes.test);
}

/** Whether a text claims to be an admin key. */
export function hasAdminKeyPrefix(text: string): boolean {
  return text.startsWith(adminPrefix);
}

/** Whether an operator may choose a text as an admin key: the prefix, then enough visible ASCII characters. */
export function isAcceptableAdminKey(text: string): boolean {
  return (
    text.startsWith(adminPrefix) &&
    text.length >= adminPrefix.length + adminKeyBodyLengthMin &&
    chosenKeyForm.test(text)
  );
}

/**
 * Whether an access token is whole: its last six characters are the CRC-32 of all before them, in base 62. A token that
 * fails cannot exist, so it is refused without asking anyone. Admin keys may be chosen by an operator and have no checksum.
 */
export function checksumHolds(token: string): boolean {
  if (!tokenForm.test(token)) return false;
  const payload = token.slice(0, -checksumLength);
  return checksum(payload) === token.slice(-checksumLength);
}

function mint(prefix: string): Secret {
  const payload = prefix + randomBody();
  return new Secret(payload + checksum(payload));
}

function randomBody(): string {
  let body = "";
  while (body.length < bodyLength) {
    for (const byte of randomBytes(drawnBytes))
      if (byte < unbiasedBelow) body += alphabet.charAt(byte % alphabet.length);
  }
  return body.slice(0, bodyLength);
}

function checksum(payload: string): string {
  let rest = crc32(payload);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** Characters of a JWT that is looked at; the head of a request has room for twice as many. */
export const jwtLengthMax = 8_192;

/** A header that is a JSON object, a payload and a signature, the last of which may be empty: `alg: none` is refused by name. */
const form = /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]*$/;

/** The refusal of a text that has not the form of a signed JWT. */
export const malformedJwt = "Token is not a well-formed JWT.";

/** Whether a text has the form of a signed JWT (RFC 7519, section 3), of whatever length. */
export function isJwtForm(text: string): boolean {
  return form.test(text);
}
