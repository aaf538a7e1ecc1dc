import type { Example } from "../corpus.ts";
import { createRandom, type Random } from "../random.ts";
import { declarationArticles } from "./declarations.ts";
import { directGrammar } from "./direct-attacks.ts";
import { everydayText } from "./everyday.ts";
import { draw as drawTexts, fill, type Grammar, pickOption } from "./grammar.ts";
import { harmlessGrammar } from "./harmless.ts";
import { indirectGrammar } from "./indirect.ts";
import { languageSamples } from "./language-samples.ts";
import { misspell } from "./misspell.ts";
import { passage } from "./passages.ts";
import { type Phrases, phrases } from "./phrases.ts";
import { foreignRequests, ordinaryRequest } from "./requests.ts";
import { authorityAttack, guessingAttack, personaAttack } from "./scenes.ts";
import { writtenExamples } from "./written.ts";

/** Texts made per language and kind; English, the richest list, gets three times as many. */
const perLanguage = 60;
const perScene = 300;
const everydayTexts = 600;
const ordinaryRequests = 2_000;

/** Synthetic attacks and harmless counterparts with the same words, in every language of the list. Deterministic for a seed. */
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
  const made = families(random);
  return [
    ...examples,
    ...made,
    ...misspelt(made, random),
    ...passages(random),
    ...spokenExamples(random),
    ...declarations(),
    ...writtenExamples(random),
  ];
}

/** One in so many texts of the families is added misspelt as well, attacks and harmless ones alike. */
const misspeltEvery = 8;

function misspelt(made: readonly Example[], random: Random): Example[] {
  return made
    .filter((_, index) => index % misspeltEvery === 0)
    .map((example, index) => ({
      ...example,
      text: misspell(example.text, random),
      source: `own-misspelt-${example.attack ? "attack" : "benign"}`,
      cluster: `own-misspelt-${index}`,
    }));
}

const samplesPerLanguage = 150;

/** One to three sentences of each language; one attack makes the whole an attack. */
function spokenExamples(random: Random): Example[] {
  return Object.entries(languageSamples).flatMap(([lang, { attacks, harmless }]) => {
    const one = (list: string): string => pickOption(list, random);
    const bad = draw(samplesPerLanguage, () => {
      const kind = random.below(5);
      if (kind < 2) return one(attacks);
      if (kind === 2) return `${one(attacks)} ${one(attacks)}`;
      return kind === 3 ? `${one(harmless)} ${one(attacks)}` : `${one(harmless)} ${one(harmless)} ${one(attacks)}`;
    });
    const good = draw(samplesPerLanguage, () =>
      Array.from({ length: 1 + random.below(4) }, () => one(harmless)).join(" "),
    );
    return [
      ...bad.map((text, index) => toExample(text, { attack: true, lang: `tongue-${lang}`, index })),
      ...good.map((text, index) => toExample(text, { attack: false, lang: `tongue-${lang}`, index })),
    ];
  });
}

/** Texts per family of attacks, and of their harmless counterparts. */
const perFamily = 700;

const attackFamilies: Readonly<Record<string, readonly [string, Grammar]>> = {
  override: ["{override}", directGrammar],
  leak: ["{leak}", directGrammar],
  game: ["{game}", directGrammar],
  role: ["{personaAttack}", directGrammar],
  claim: ["{authority}", directGrammar],
  tokens: ["{tokens}", directGrammar],
  smuggle: ["{smuggle}", directGrammar],
  mixed: ["{any}", directGrammar],
};
const harmlessFamilies = [
  "mention",
  "security",
  "promptWork",
  "rolePlay",
  "form",
  "fiction",
  "office",
  "manual",
  "account",
  "coding",
  "any",
];
const carriers = ["mailCarrier", "toolCarrier", "pageCarrier", "codeCarrier", "paperCarrier", "userCarrier"];

function families(random: Random): Example[] {
  const examples: Example[] = [];
  for (const [name, [template, grammar]] of Object.entries(attackFamilies)) {
    const texts = drawTexts(template, grammar, { count: perFamily, random });
    examples.push(...texts.map((text, index) => toExample(text, { attack: true, lang: `en-${name}Family`, index })));
  }
  for (const name of harmlessFamilies) {
    const texts = drawTexts(`{${name}}`, harmlessGrammar, { count: perFamily, random });
    examples.push(...harmlessTexts(`en-${name}Twin`, texts));
  }
  for (const carrier of carriers) examples.push(...carried(carrier, random));
  return examples;
}

/** Carriers of one kind around notes to models and around notes to people. */
function carried(carrier: string, random: Random): Example[] {
  const around = (note: string): string =>
    fill(
      fill(`{${carrier}}`, indirectGrammar, random).replaceAll("{X}", fill(`{${note}}`, indirectGrammar, random)),
      indirectGrammar,
      random,
    );
  const attacks = draw(perFamily, () => around("note"));
  const twins = draw(perFamily, () => around(random.below(6) === 0 ? "fact" : "humanNote"));
  return [
    ...attacks.map((text, index) => toExample(text, { attack: true, lang: `en-${carrier}Note`, index })),
    ...harmlessTexts(`en-${carrier}Letter`, twins),
  ];
}

/** Legal prose in most written languages. */
function declarations(): Example[] {
  return harmlessTexts("declaration", declarationArticles());
}

const passageTexts = 1_500;

function passages(random: Random): Example[] {
  return harmlessTexts(
    "en-passage",
    draw(passageTexts, () => passage(random)),
  );
}

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

/** English and the other languages are separate sources, so that neither dominates the other. */
function sourceOf(lang: string, kind: string): string {
  if (lang.startsWith("tongue-")) return `own-tongue-${kind}`;
  if (lang === "declaration") return "own-declaration";
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
