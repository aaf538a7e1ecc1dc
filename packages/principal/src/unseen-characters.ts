/** Letters and signs with a blank glyph: of Braille, Khitan, hieroglyphs and musical notation. */
const blankGlyphs = String.raw`\u{2800}\u{16FE4}\u{13441}\u{13442}\u{1D159}`;

/**
 * Characters that show nothing or change how the text around them reads, as the inside of a class of a regular expression with
 * the flag `u`: control and format characters, separators of lines and paragraphs, characters that a display may ignore
 * (Unicode's Default_Ignorable_Code_Point, such as fillers of Hangul, variation selectors and joiners), and blank glyphs.
 */
export const unseenCharacters = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}${blankGlyphs}`;
