import { unseenCharacters } from "@gatehouse/principal/unseen-characters";

/** Bidirectional controls, by which a name could display as another one. */
const overrides = /[\u202A-\u202E\u2066-\u2069]/g;
/** A name of such characters only is invisible and cannot be clicked. */
const unseen = new RegExp(String.raw`^[\s${unseenCharacters}]*$`, "u");

/** Without control characters, some of which are white space. */
const notShown = new RegExp(String.raw`(?!\p{Cc})[${unseenCharacters}]`, "gu");

/** Makes a name visible: replaces hiding characters, or all of an otherwise invisible name, by their code points. */
export function visibleName(name: string): string {
  return name.replaceAll(unseen.test(name) ? /./gsu : overrides, numbered);
}

/** Whether a person has typed a name, up to surrounding spaces, the number of inner spaces, and invisible characters. */
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
