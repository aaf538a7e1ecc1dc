/** Orders of letters that a name forces on the page, so that it reads as another one. */
const overrides = /[\u202A-\u202E\u2066-\u2069]/g;
/** A name of nothing else cannot be seen, nor clicked. */
const unseen = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

const notShown = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A name as it can be seen: characters that hide what it says, and all of a name without one that shows, stand by their numbers. */
export function visibleName(name: string): string {
  return name.replaceAll(unseen.test(name) ? /./gsu : overrides, numbered);
}

/**
 * Whether a person has typed a name as it can be typed: spaces around it, how many stand between its words, and characters that do not
 * show, all of which a name may have, are not for a person to find out.
 */
export function isTypedName(typed: string, name: string): boolean {
  const wanted = [name, visibleName(name)].map(typeable).filter((text) => text !== "");
  return wanted.includes(typeable(typed));
}

function typeable(text: string): string {
  return text
    .normalize("NFC")
    .replaceAll(notShown, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
}

function numbered(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
}
