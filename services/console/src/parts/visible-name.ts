/** Orders of letters that a name forces on the page, so that it reads as another one. */
const overrides = /[\u202A-\u202E\u2066-\u2069]/g;
/** A name of nothing else cannot be seen, nor clicked. */
const unseen = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** A name as it can be seen: characters that hide what it says, and all of a name without one that shows, stand by their numbers. */
export function visibleName(name: string): string {
  return name.replaceAll(unseen.test(name) ? /./gsu : overrides, numbered);
}

function numbered(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
}
