import { createRandom } from "../random.ts";

type Disguise = (text: string) => string;

const words =
  (change: (word: string, index: number) => string): Disguise =>
  (text) => {
    let index = 0;
    return text.replaceAll(/[a-z]{4,}/giu, (word) => {
      index += 1;
      return change(word, index);
    });
  };
const between =
  (mark: string): Disguise =>
  (text) =>
    Array.from(text).join(mark);
const bytes =
  (write: (byte: number) => string, mark: string): Disguise =>
  (text) =>
    Array.from(Buffer.from(text), write).join(mark);
const shifted =
  (by: number): Disguise =>
  (text) =>
    text.replaceAll(/[a-z]/giu, (char) => {
      const base = char <= "Z" ? 65 : 97;
      return String.fromCharCode(((char.charCodeAt(0) - base + by) % 26) + base);
    });
const lettersAt =
  (upper: number, lower: number): Disguise =>
  (text) =>
    text.replaceAll(/[a-z]/giu, (char) =>
      String.fromCodePoint(char <= "Z" ? upper + char.charCodeAt(0) - 65 : lower + char.charCodeAt(0) - 97),
    );
const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function base32(text: string): string {
  let bits = "";
  for (const byte of Buffer.from(text)) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/gu) ?? [])
    .map((five) => base32Alphabet[Number.parseInt(five.padEnd(5, "0"), 2)] ?? "")
    .join("");
}

function shuffled(word: string, index: number): string {
  const random = createRandom(index + word.length);
  const order = Array.from({ length: word.length - 2 }, (_, at) => at);
  random.shuffle(order);
  return `${word.slice(0, 1)}${order.map((at) => word[at + 1] ?? "").join("")}${word.slice(-1)}`;
}

const hidden = (char: string): string => String.fromCodePoint(0xe0000 + (char.codePointAt(0) ?? 0));
const greek: Readonly<Record<string, string>> = { a: "α", o: "ο", v: "ν", i: "ι", u: "υ", p: "ρ" };

/** Further disguises that models read without a hint. */
export const moreDisguises: Readonly<Record<string, Disguise>> = {
  "inner letters shuffled": words(shuffled),
  "first inner letters swapped": words((word) => `${word[0]}${word[2]}${word[1]}${word.slice(3)}`),
  "letters doubled": words((word) => word.replaceAll(/./gu, "$&$&")),
  "one letter doubled": words((word) => `${word.slice(0, 2)}${word[1]}${word.slice(2)}`),
  "one letter dropped": words((word) => word.slice(0, 2) + word.slice(3)),
  "vowels stretched": (text) => text.replaceAll(/[aeiou]/giu, "$&$&$&"),
  "vowels dropped": words((word) => word[0] + word.slice(1).replaceAll(/[aeiou]/giu, "")),
  "vowels as stars": words((word) => word[0] + word.slice(1).replaceAll(/[aeiou]/giu, "*")),
  "one letter as a star": words((word) => `${word[0]}*${word.slice(2)}`),
  "one letter as a dot": words((word) => `${word[0]}.${word.slice(2)}`),
  "one letter as a hash": words((word) => `${word.slice(0, 2)}#${word.slice(3)}`),
  "by sound": words((word) =>
    word
      .replaceAll(/ck|c(?=[aou])/giu, "k")
      .replaceAll(/ph/giu, "f")
      .replaceAll(/ou/giu, "u"),
  ),
  "pig latin": words((word) => `${word.slice(1)}${word[0]}ay`),
  "emoji between letters": between("😀"),
  "emoji between words": (text) => text.replaceAll(" ", "🔥"),
  "dashes between letters": between("-"),
  "underscores between letters": between("_"),
  "slashes between letters": between("/"),
  "bars between letters": between("|"),
  "stars between letters": between("*"),
  "commas between letters": between(","),
  "tildes between letters": between("~"),
  "thin spaces between letters": between("\u2009"),
  "line ends between words": (text) => text.replaceAll(" ", "\n"),
  "line ends in words": words((word) => `${word.slice(0, 3)}\n${word.slice(3)}`),
  "hyphens in words": words((word) => `${word.slice(0, 3)}-${word.slice(3)}`),
  "tabs between words": (text) => text.replaceAll(" ", "\t"),
  "double spaces": (text) => text.replaceAll(" ", "  "),
  "dots between words": (text) => text.replaceAll(" ", "."),
  "dashes between words": (text) => text.replaceAll(" ", "-"),
  "plus between words": (text) => text.replaceAll(" ", "+"),
  "camel case": (text) => text.replaceAll(/\s+(\w)/gu, (_, letter: string) => letter.toUpperCase()),
  "quotes round words": words((word) => `"${word}"`),
  "markdown bold": words((word) => `**${word}**`),
  "HTML tags round words": words((word) => `<b>${word}</b>`),
  "HTML tags in words": words((word) => `${word.slice(0, 3)}<i></i>${word.slice(3)}`),
  "zero-width joiners": between("\u200d"),
  "word joiners": between("\u2060"),
  "right-to-left marks": between("\u200f"),
  "hidden after a greeting": (text) => `Hello ${Array.from(text, hidden).join("")}`,
  "small capitals": (text) =>
    text.replaceAll(/[a-z]/gu, (char) => "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡxʏᴢ"[char.charCodeAt(0) - 97] ?? char),
  "circled letters": lettersAt(0x24b6, 0x24d0),
  "script letters": lettersAt(0x1d4d0, 0x1d4ea),
  "double-struck letters": lettersAt(0x1d538, 0x1d552),
  "monospace letters": lettersAt(0x1d670, 0x1d68a),
  "Greek look-alikes": (text) => Array.from(text, (char) => greek[char] ?? char).join(""),
  base32,
  "base64 for the web": (text) => Buffer.from(text).toString("base64url"),
  "hex pairs": bytes((byte) => byte.toString(16).padStart(2, "0"), " "),
  "hex with 0x": bytes((byte) => `0x${byte.toString(16).padStart(2, "0")}`, ", "),
  "decimal bytes": bytes(String, " "),
  "binary bytes": bytes((byte) => byte.toString(2).padStart(8, "0"), " "),
  "Caesar by three": shifted(3),
};
