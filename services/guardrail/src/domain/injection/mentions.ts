import { machineSign, nameSign } from "./machine-names.ts";

/** Words between a name and the sign that ends a call or a label: "note to the model:", "assistant, ...". */
const calling = "(?: \\S{1,24}){0,3}\\s?[:,]\\s";
const verbs =
  "say|tell|state|claim|report|reply|respond|answer|ask|write|print|output|repeat|show|include|insert|append|add|send|forward|ignore|do not|don't|never|always|treat|mark|approve|delete|skip|use|give|put|recommend|mention|call|open|read|set|leave|keep|make";

interface MentionSign {
  readonly pattern: RegExp;
  /** Amount added to the score. */
  readonly weight: number;
}

/**
 * Signs, in a sentence that mentions a machine, of an order to it and of a fact about it. The amounts follow a logistic regression on
 * the documents of `written/` in tools/guardrail-train.
 */
const signs: readonly MentionSign[] = [
  { pattern: new RegExp(`${nameSign}${calling}`), weight: 0.8 },
  // Where to send to or look, and words to say.
  { pattern: /https?:|www\.|\S@\S|\.example\b|[“”«»„]|\w "/, weight: 1.5 },
  { pattern: new RegExp(`(?:^|[:,.] )(?:please |kindly |then )?(?:${verbs})\\b`), weight: 0.8 },
  {
    pattern:
      /\b(?:answers?|repl(?:y|ies)|summar\w+|recap\w*|digest|outline|feedback|response|analysis|reports?|tells?|says?|states?|writes?|mentions?|describes?|explains?|quotes?|announces?|recommend\w*|informs?|assures?|steer|present|output|message)\b/,
    weight: 0.6,
  },
  // A machine that the writer has or uses, and what one is or can do.
  {
    pattern: new RegExp(
      `\\b(?:our|we|the company|customers can|you can|powered by|with the help of|using|uses?|by an?|via) (?:\\S{1,20} ){0,3}${nameSign}`,
    ),
    weight: -2,
  },
  {
    pattern: new RegExp(
      `${nameSign}(?: \\S{1,20}){0,2} (?:was|were|has|have|had|did|is|are|can|will|could|would|helps?|works?|runs?|supports?)\\b`,
    ),
    weight: -0.8,
  },
];
/** A duty in such a sentence. Forms of duties say it more exactly. */
const duty: MentionSign = {
  pattern:
    /\b(?:must|shall|should|has to|have to|needs? to|is to|are to|may not|will be|muss|mussen|soll|sollen|doit|doivent|debe|deben|deve|devem|devono|moet|musi|должен|должна|должны)\b|必须|请|应当|してください|하세요|하라/,
  weight: 1,
};
/** The only mention of a machine in a text about something else, and a call to one there. */
const lonelyWeight = 0.8;
const lonelyCall: MentionSign = { pattern: new RegExp(`${machineSign}${calling}`), weight: 0.9 };

/** Machines in other languages with Latin letters, beside the names that `machine-names.ts` replaces. */
const latinNames =
  /\b(?:assistenten?|assistentin|assistant virtuel|intelligence artificielle|asistente virtual|inteligencia artificial|assistente virtuale?|intelligenza artificiale|sztuczn\w{1,3} inteligencj\w|asistan|asystent\w{0,3}|kunstmatige intelligentie|digitale assistent\w{0,3})\b/g;
/** Machines in other scripts. */
const otherNames =
  /(?<!\p{L})(?:ии|нейросет\p{L}{0,3}|робот\p{L}{0,2}|бот\p{L}{0,2}|ассистент\p{L}{0,3}|помощник\p{L}{0,3})(?!\p{L})|人工智能|智能助手|大模型|语言模型|アシスタント|人工知能|어시스턴트|인공지능/gu;
const otherScripts = /[\u0400-\u{10ffff}]/u;
/** Names alone before a line, as in the record of a conversation or a member of JSON: labels, no mentions. */
const labels = new RegExp(`(?<=^|\\n|[.!?>\\]"'{,]\\s?)(?:the )?${nameSign}["']?\\s?:`, "g");
/** Ends of sentences, lines, tags, cells and members. */
const ends = /(?<=[.!?])\s{1,3}|\n|(?<=[。！？])|<!--|-->|<\/?\w[^>]{0,200}>|[{}[\]]| \| |", "/u;
const named = new RegExp(nameSign);
/** Shorter pieces are no sentences. */
const sentenceLengthMin = 9;
/** A text with fewer sentences has no topic from which a mention could differ. */
const topicSentencesMin = 3;

/**
 * Amount that mentions of machines add to the score of data, not below 0: data that mentions a machine once, in a sentence with an
 * order, speaks to it; data about machines speaks of them all along.
 * @param stretch with signs in place of names
 * @param options.hasDuty whether a form has found a duty of a machine in it
 */
export function weighMentions(stretch: string, { hasDuty }: { readonly hasDuty: boolean }): number {
  const latin = stretch.replace(latinNames, machineSign);
  const text = otherScripts.test(latin) ? latin.replace(otherNames, machineSign) : latin;
  if (!named.test(text)) return 0;
  const sentences = text
    .replace(labels, "")
    .split(ends)
    .filter((sentence) => sentence.trim().length >= sentenceLengthMin);
  const mentions = sentences.filter((sentence) => named.test(sentence));
  const isLonely = mentions.length === 1 && sentences.length >= topicSentencesMin;
  const present = [...signs, ...(hasDuty ? [] : [duty]), ...(isLonely ? [lonelyCall] : [])].filter(({ pattern }) =>
    mentions.some((sentence) => pattern.test(sentence)),
  );
  return Math.max(
    0,
    present.reduce((sum, { weight }) => sum + weight, isLonely ? lonelyWeight : 0),
  );
}
