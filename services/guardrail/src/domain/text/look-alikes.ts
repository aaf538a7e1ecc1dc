/**
 * Letters of other alphabets that are drawn like a Latin letter (facts from the Unicode confusables data, UTS #39),
 * with the Cyrillic and Greek letters that people use for the same purpose. Listed by the letter they stand for.
 */
const strictLookAlikes: Readonly<Record<string, string>> = {
  a: "ɑαаΑАᎪᗅꓮ",
  b: "ƄЬᏏᑲᖯꞴΒВᏴᗷꓐ",
  c: "ᴄϲⲥсꮯϹⲤСᏟꓚ",
  d: "ԁᏧᑯꓒᎠᗞᗪꓓ",
  e: "ꬲеҽΕЕⴹᎬꓰ",
  f: "ꬵꞙẝքꞘϜᖴꓝ",
  g: "ɡᶃƍցԌᏀᏳꓖ",
  h: "һհᏂΗⲎНᎻᕼꓧ",
  i: "ɪɩιіꙇӏꭵᎥІΙ",
  j: "ϳјꞲЈᎫᒍꓙ",
  k: "ΚⲔКᏦᛕꓗ",
  l: "ƖǀⲒӀⵏᛁꓲⳐᏞᒪꓡ",
  m: "ΜϺⲘМᎷᗰᛖꓟ",
  n: "ոռΝⲚꓠ",
  o: "ᴏᴑꬽοσⲟоჿօΟⲞОՕⵔዐꓳ",
  p: "ρϱⲣрΡⲢРᏢᑭꓑ",
  q: "ԛգզⵕ",
  r: "ꭇꭈᴦⲅгꮁƦᎡᏒᖇꓣ",
  s: "ꜱƽѕꮪЅՏᏕᏚꓢ",
  t: "ΤⲦТᎢꓔ",
  u: "ꞟᴜꭎꭒʋυսՍሀᑌꓴ",
  v: "ᴠνѵꮩѴⴸᏙᐯꛟꓦ",
  w: "ɯᴡѡԝաꮃԜᎳᏔꓪ",
  x: "хᕁᕽꞳΧⲬХⵝᚷꓫ",
  y: "ɣᶌʏỿꭚγүყуΥⲨУҮᎩᎽꓬ",
  z: "ᴢꮓΖᏃꓜ",
};

/** Looser pairs, believed only beside real Latin letters in one word. */
const looseLookAlikes: Readonly<Record<string, string>> = {
  a: "ᴀ@",
  b: "вβʙ",
  d: "ᴅ",
  e: "εєᴇ",
  g: "ɢ",
  h: "нηʜ",
  i: "їί",
  j: "ᴊ",
  k: "кκᴋ",
  l: "ʟ",
  m: "мᴍ",
  n: "пηɴ",
  o: "ө",
  p: "ᴘ",
  r: "яʀ",
  t: "тτᴛ",
  x: "χ",
};

let strictTable: Map<number, number> | undefined;
let looseTable: Map<number, number> | undefined;

/** Code unit to lower-case ASCII letter, for words made of nothing but look-alikes. */
export function strictLatinOf(): ReadonlyMap<number, number> {
  strictTable ??= toTable([strictLookAlikes]);
  return strictTable;
}

/** Code unit to lower-case ASCII letter, for words that mix alphabets. */
export function looseLatinOf(): ReadonlyMap<number, number> {
  looseTable ??= toTable([looseLookAlikes, strictLookAlikes]);
  return looseTable;
}

function toTable(sources: readonly Readonly<Record<string, string>>[]): Map<number, number> {
  const result = new Map<number, number>();
  for (const source of sources) {
    for (const [latin, others] of Object.entries(source)) {
      for (const other of others) {
        const code = other.charCodeAt(0);
        if (code >= 0x80) result.set(code, latin.charCodeAt(0));
      }
    }
  }
  return result;
}
