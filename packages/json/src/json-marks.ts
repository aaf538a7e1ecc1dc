/** ASCII codes of JSON's structural characters (RFC 8259, section 2). */
export const quote = 0x22,
  comma = 0x2c,
  colon = 0x3a,
  openBracket = 0x5b,
  backslash = 0x5c,
  closeBracket = 0x5d,
  openBrace = 0x7b,
  closeBrace = 0x7d;
