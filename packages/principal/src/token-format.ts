import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { Secret } from "@gatehouse/vault";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 30 characters of 62 are 178 bits. */
const bodyLength = 30;
const checksumLength = 6;
const adminPrefix = "svc_admin_";
const tokenPrefixes = { live: "svc_live_", test: "svc_test_" } as const;
/** Largest multiple of 62 in a byte: larger bytes are redrawn, so that every character is equally likely. */
const unbiasedBelow = 248;
const drawnBytes = 48;

/** Shortest body after the prefix of a chosen admin key, characters; 32 hexadecimal ones are 128 bits. */
export const adminKeyBodyLengthMin = 32;
const chosenKeyForm = /^[\x21-\x7e]+$/;

const tokenForm = /^svc_(?:live|test)_[0-9A-Za-z]{36}$/;

/** `live` or `test`: only changes the token's prefix. */
export type TokenEnvironment = keyof typeof tokenPrefixes;

/** Creates an access token: the prefix, 30 random characters, and a checksum of both. */
export function mintToken(environment: TokenEnvironment): Secret {
  return mint(tokenPrefixes[environment]);
}

/** Creates an admin key in the form of an access token. */
export function mintAdminKey(): Secret {
  return mint(adminPrefix);
}

/** SHA-256 of the plaintext, 32 bytes: the only stored and transmitted form of a token or an admin key. */
export function hashToken(plaintext: string): Buffer {
  return createHash("sha256").update(plaintext).digest();
}

/** Whether a text looks like an access token; others are refused as `Invalid token format.` */
export function hasTokenPrefix(text: string): boolean {
  return text.startsWith(tokenPrefixes.live) || text.startsWith(tokenPrefixes.test);
}

/** Whether a text has the prefix of admin keys; decides the look-up, not the validity. */
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
 * Whether an access token is intact: its last six characters are the CRC-32 of the others, in base 62. Others cannot exist, so
 * they are refused without a look-up. Admin keys may be chosen by an operator and have no checksum.
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

/** Longest JWT that is checked, characters; the head of a request has room for twice as many. */
export const jwtLengthMax = 8_192;

/** A JSON object header, a payload and a signature, which may be empty: `alg: none` is refused by name. */
const form = /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]*$/;

/** The refusal of a longer one. */
export const oversizedJwt = `Token is too large: a JWT may have at most ${jwtLengthMax} characters.`;

/** The refusal of a text that has not the form of a signed JWT. */
export const malformedJwt = "Token is not a well-formed JWT.";

/** Whether a text has the form of a signed JWT (RFC 7519, section 3), of any length. */
export function isJwtForm(text: string): boolean {
  return form.test(text);
}
