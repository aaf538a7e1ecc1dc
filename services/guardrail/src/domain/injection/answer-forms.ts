/**
 * Orders about the form or the content of the answer, in data. Only a model makes its answer from the data, so only an order to
 * a model speaks of it in this way. People ask one another for their own facts in a reply ("include your order number"), which
 * no form covers. Every repetition is bounded, as in `addressed.ts`.
 */

/** Names of the text that a reader writes from the data. */
const reply = `(?:${[
  "responses?|answers?|reply|replies|outputs?|summary|summaries|analysis|recap|translation|completion|explanation",
  "final message",
].join("|")})`;
const message = "(?:messages?|texts?|words|sentences?|letters|e-?mail)";
/** The answer as the reader's: `your reply`, `your final answer`, `each of your answers`. */
const yourReply = `(?:your|each|every|all|any|ur)(?: of)?(?: your)?(?: (?:own|next|final|whole|entire|complete|full|written|first|last|main|subsequent|following|actual|future))?(?: \\w{3,12})? ${reply}`;
const yourText = `(?:${yourReply}|your(?: (?:own|next|final|whole|entire))? ${message})`;

/** Ways to write that hide or mock what is said; people do not ask a correspondent for them. */
const disguise = `\\b(?:${[
  // Other orders of letters.
  "anagram(?:s|med)?|(?:un)?scrambl\\w{1,3}|jumbl\\w{1,3}|shuffl\\w{1,3}|(?:re)?arrang\\w{1,3} the letters",
  "backwards?|(?:in |the )?reverse[ds]?|revers(?:al|ing)|invert(?:ed|s|ing)?|mirror(?:ed|s)?|upside down|palindromes?",
  // Ciphers and codes. The folded reading has letters for some digits: "base64" may be "base6a".
  "\\w{0,12} ?cipher(?:ed|text)?|caesar|rot-?13|atbash|vigenere|base-?\\w\\w\\b|hexadecimal|hex (?:code|format)",
  "binary(?: (?:code|form|format|digits|numbers))?|ascii (?:codes?|values?|numbers?)|unicode (?:code points|escapes?)",
  "url[- ]?encod\\w{1,3}|encod(?:ed|ing)|encrypt(?:ed|ion)|morse|braille|semaphore|nato alphabet",
  // Other words and spellings.
  "pig latin|l(?:ee|33)t(?:speak)?|emojis?|emoticons?|pictographs?|hieroglyph\\w{0,3}|gibberish",
  "homophon\\w{1,3}|homonyms?|sound-?alikes?|sounding (?:words|alike)|phonetic(?:ally|s)?",
  "mis-?spell?\\w{0,4}|typos?|(?:un)?grammatical",
  // Signs left out, replaced or grouped.
  "without (?:any |using )?(?:spaces?|spacing|punctuation|vowels?|consonants)",
  "(?:no|remov\\w{1,3}|eliminat\\w{1,3}|delet\\w{1,3}|omit\\w{0,4}|drop\\w{0,4}|strip\\w{0,4})(?: all| any| the){0,2} (?:spaces?|spacing|punctuation|vowels?|consonants)",
  "(?:letters?|characters?|vowels?|words?) (?:with|by|for|into|as|to) (?:\\w{1,14} ){0,2}(?:numbers?|numerals?|digits?|symbols?|emojis?|letters?|characters?|asterisks?|stars|signs)",
  "(?:numbers?|numerals?|digits?|symbols?|signs) (?:for|in place of|instead of|as|to (?:replace|represent|stand for)) (?:\\w{1,14} ){0,2}(?:letters?|characters?|words?|vowels?)",
  "every (?:other|second|third|fourth|fifth|\\d\\w\\w) (?:word|letter|character|sentence)",
  "(?:groups?|sets?|blocks?|chunks?|pairs) of (?:two|three|four|five|six|\\d)|in (?:twos|threes|fours|fives|sixes|pairs)",
  "(?:two|three|four|five|\\d)[- ]letter (?:groups?|sets?|blocks?|chunks?)",
  // Styles.
  "acrostics?|limericks?|haikus?|(?:in|as) rhym\\w{1,3}|pirate|yoda|klingon",
].join("|")})\\b`;

/** Things that an order puts into an answer: the sender's words, address, claim or advertisement. */
const inserted = `(?:${[
  "[\"'`]|www\\.|https?:",
  `(?:an?|one|some|the following|this|these|the|two|three|\\d)\\b(?: \\w{2,16}){0,2} (?:${[
    "sentences?|lines?|statements?|claims?|phrases?|words?|paragraphs?|mentions?|references?|quotes?|quotations?",
    "links?|urls?|websites?|sites?|hashtags?|pixels?|images?|buttons?",
    "recommendations?|suggestions?|endorsements?|testimonials?|reviews?|compliments?|promises?|guarantees?",
    "plugs?|ads?|adverts?|advertisements?|promotions?|offers?|discounts?|coupons?|slogans?|taglines?|calls? to action",
    "headlines?|teasers?|news|rumou?rs?|lies?|falsehoods?|myths?|theor(?:y|ies)|statistics?|facts?|trivia",
    "warnings?|threats?|insults?|secrets?|tips?|steps?|instructions?|guides?|how-tos?",
    "jokes?|riddles?|stor(?:y|ies)|lyrics?|poems?",
  ].join("|")})\\b`,
  "(?:an? |some )?(?:false|fake|fabricated|misleading|wrong|incorrect|made-up|biased|unverified|subtle|random|trending|shocking|clickbait)\\b",
  "(?:information|facts|advice|praise|details|news|claims|lines|links|content|material) (?:about|on|regarding|for|from|to|that|favou?ring|promoting)\\b",
  "that\\b",
].join("|")})`;
const insert = `(?:${[
  "includ|insert|add|integrat|embed|incorporat|weav|slip|mention|append|prepend|put|plac|sneak|drop|featur|work in",
  "quot|promot|advertis|plug|squeez|sprinkl|thread|blend|infus|inject|smuggl",
  "suggest|recommend|stat|claim|assert|insist|hint|imply|say|cit|referenc",
].join("|")})(?:e|es|ing)?`;
const into =
  "(?:in|into|to|within|inside|with|throughout|across|at the (?:end|start|beginning|top|bottom|close) of|(?:some|any)where in)";
/** Beginning of an order. */
const clause =
  "(?:^|[.!?:;>\"'(\\[{*#/|,\\n-]|\\band|\\bthen|\\bplease|\\bkindly|\\bmust|\\bshould|\\bto|\\balso|\\balways)\\s{0,3}";
/** Inside a sentence; a dot in an address does not end it. */
const gap = "(?:[^.!?\\n]|\\.(?=\\w))";

/** Parts of an answer that an order changes. */
const parts = "(?:letters?|characters?|vowels?|consonants|words?|keywords?|spaces?|spacing|punctuation|numbers|digits)";
const change = `(?:${[
  "replac|substitut|swap|exchang|chang|group|split|scrambl|shuffl|jumbl|rearrang|invert|revers",
  "remov|delet|omit|drop|mix|mask|encod|doubl|repeat|spell",
].join("|")})(?:e|es|ing|ping|t?ing up| up)?`;
const adjust =
  "(?:modify|alter|adjust|tailor|craft|shape|phrase|tweak|change|adapt|edit|frame|style|steer|slant|bias|extend|expand)";
const open =
  "(?:enhance|season|spice up|enrich|embellish|decorate|pepper|lace|augment|garnish|supplement|punctuate|infuse|conclude|end|finish|close|begin|start|open|preface|introduce)";

/** An order to write the answer in a way that hides or mocks what it says. */
export const disguisedAnswer = [
  // The ways to write are looked for only near the few places that speak of an answer.
  `\\b${yourText}\\b(?:(?<=${disguise}${gap}{0,60}?\\b${yourText})|${gap}{0,60}?${disguise})`,
  `${clause}(?:respond|reply|answer|write back|speak|talk)(?: \\w{1,12}){0,3} (?:in|with|using|by|as|like)(?: \\w{1,12}){0,3} ${disguise}`,
  `${clause}(?:please )?${change} (?:\\w{2,12} ){0,4}${parts} (?:\\w{2,12} ){0,2}(?:in|of|from|throughout) (?:the (?:words|letters|text|sentences?) (?:of|in) )?${yourText}\\b`,
  `\\btranslat(?:e|ing) ${yourReply} (?:in|to|into)\\b`,
].join("|");

/** An order to put something into the answer. */
export const insertedInAnswer = [
  `${clause}${insert} ${inserted}${gap}{0,100}?\\b${into} ${yourReply}\\b`,
  `\\b${into} ${yourReply},? (?:\\w{2,12}ly,? |please |also |always ){0,2}${insert} (?:${inserted}|(?:the )?(?:users?|readers?|customers?)\\b|people\\b|everyone\\b|them\\b)`,
  `\\b${open} ${yourReply} (?:with|by) (?:${inserted}|\\w{3,14}ing\\b)`,
  `\\b${adjust} ${yourReply} (?:to|so that it) (?:\\w{2,12}ly )?(?:${insert}|contain|reflect|favou?r|support|praise|direct|lead|entice|make) `,
  `\\b${yourReply} (?:must|should|shall|has to|have to|needs? to) (?:\\w{2,12} ){0,2}(?:${insert}|contain|begin with|start with|end with|be) ${inserted}`,
].join("|");
