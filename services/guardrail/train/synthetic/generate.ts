import type { Example } from "../corpus.ts";
import { createRandom, type Random } from "../random.ts";
import { everydayText } from "./everyday.ts";
import { type Phrases, phrases } from "./phrases.ts";
import { foreignRequests, ordinaryRequest } from "./requests.ts";
import { authorityAttack, guessingAttack, personaAttack } from "./scenes.ts";

/** Texts made per language and kind; English, the richest list, gets three times as many. */
const perLanguage = 60;
const perScene = 300;
const everydayTexts = 600;
const ordinaryRequests = 2_000;

/** Made-up attacks and harmless partners with the same words, in every language of the list. Same seed, same texts. */
export function generateExamples(seed: number): Example[] {
  const random = createRandom(seed);
  const examples = Object.entries(phrases).flatMap(([lang, list]) => {
    const count = lang === "en" ? perLanguage * 4 : perLanguage;
    return [...attacks(list, { lang, count, random }), ...harmless(list, { lang, count, random })];
  });
  for (const [kind, make] of Object.entries({ personaAttack, guessingAttack, authorityAttack })) {
    const texts = new Set<string>();
    for (let made = 0; made < perScene; made += 1) texts.add(make(random));
    for (const [index, text] of [...texts].entries()) {
      examples.push(toExample(text, { attack: true, lang: `en-${kind}`, index }));
    }
  }
  examples.push(
    ...harmlessTexts(
      "en-everyday",
      draw(everydayTexts, () => everydayText(random)),
    ),
  );
  examples.push(
    ...harmlessTexts(
      "en-ordinary",
      draw(ordinaryRequests, () => ordinaryRequest(random)),
    ),
  );
  for (const [lang, texts] of Object.entries(foreignRequests()))
    examples.push(...harmlessTexts(`${lang}-ordinary`, texts));
  return examples;
}

/** Draws texts, and leaves out those that come again. */
function draw(count: number, make: () => string): string[] {
  return [...new Set(Array.from({ length: count }, make))];
}

function harmlessTexts(lang: string, texts: readonly string[]): Example[] {
  return texts.map((text, index) => toExample(text, { attack: false, lang, index }));
}

interface Batch {
  readonly lang: string;
  readonly count: number;
  readonly random: Random;
}

function attacks(list: Phrases, batch: Batch): Example[] {
  const texts = new Set<string>(split(list.whole));
  for (let made = 0; made < batch.count; made += 1) texts.add(attack(list, batch.random));
  return [...texts].map((text, index) => toExample(text, { attack: true, lang: batch.lang, index }));
}

function attack(list: Phrases, random: Random): string {
  const override = (): string => pick(list.overrides, random).replace("{r}", pick(list.rules, random));
  const reveal = (): string => pick(list.reveals, random).replace("{s}", pick(list.secrets, random));
  const kind = random.below(6);
  if (kind === 0) return override();
  if (kind === 1) return reveal();
  if (kind === 2) return `${override()}. ${reveal()}`;
  if (kind === 5) return `${pick(list.benign, random)} ${pick(list.benign, random)} ${reveal()}`;
  if (kind === 3) return `${pick(list.whole, random)} ${reveal()}`;
  return `${pick(list.benign, random)} ${override()}. ${pick(list.whole, random)}`;
}

function harmless(list: Phrases, batch: Batch): Example[] {
  const texts = new Set<string>(split(list.benign));
  for (let made = 0; made < batch.count / 2; made += 1) {
    texts.add(`${pick(list.benign, batch.random)} ${pick(list.benign, batch.random)}`);
  }
  return [...texts].map((text, index) => toExample(text, { attack: false, lang: batch.lang, index }));
}

function toExample(text: string, facts: { attack: boolean; lang: string; index: number }): Example {
  const kind = facts.attack ? "attack" : "benign";
  return {
    text,
    attack: facts.attack,
    source: sourceOf(facts.lang, kind),
    group: `own_${kind}`,
    cluster: `own-${facts.lang}-${kind}-${facts.index}`,
    lang: facts.lang,
  };
}

/** English and the other languages are sources of their own, so that neither drowns the other. */
function sourceOf(lang: string, kind: string): string {
  if (lang.startsWith("en-")) return `own-${lang}`;
  if (lang.endsWith("-ordinary")) return "own-multi-ordinary";
  return lang === "en" ? `own-${kind}` : `own-multi-${kind}`;
}

function pick(list: string, random: Random): string {
  const options = split(list);
  return options[random.below(options.length)] ?? "";
}

function split(list: string): string[] {
  return list.split("|");
}
