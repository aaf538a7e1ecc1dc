/** A wording that hardly occurs outside attacks, matched on the folded reading in RE2 syntax. */
export interface InjectionPattern {
  readonly name: string;
  readonly pattern: string;
}

const all = "(?:all|any|every|each|everything|the|your|my|of|these|those|that|this|and|other)";
const gap = `(?:\\s+${all}){0,4}`;
const prior = "(?:previous|prior|preceding|above|earlier|past|former|initial|original|foregoing|existing|given)";
const rules =
  "(?:instructions?|instuctions?|directions?|directives?|commands?|guidelines?|prompts?|programming|training|restrictions?|policies)";
const drop = "(?:ignore|disregard|forget|override|overwrite|bypass|discard|neglect|dismiss)";

/** Few and precise on purpose: broader wordings are left to the weights, which see the rest of the text. */
export const injectionPatterns: readonly InjectionPattern[] = [
  { name: "override", pattern: `\\b${drop}${gap}\\s+${prior}${gap}\\s+(?:\\w+\\s+)?${rules}\\b` },
  {
    name: "override_before",
    pattern: `\\b${drop}${gap}\\s+${rules}\\s+(?:\\w+\\s+){0,3}(?:before|above|previously|earlier|given to you|you (?:got|received|were given))\\b`,
  },
  {
    name: "do_anything_now",
    pattern: "\\b(?:do anything now|dan mode|developer mode (?:enabled|output)|jailbreak mode|jailbroken)\\b",
  },
  {
    name: "stay_in_character",
    pattern: "\\byou are (?:now )?dan\\b|\\bact(?:ing)? as (?:a )?dan\\b|\\bstay (?:a )?dan\\b",
  },
  {
    name: "broken_free",
    pattern:
      "\\b(?:broken|break) free (?:of|from) (?:the )?(?:typical )?(?:confines|constraints|chains|limits) of (?:ai|openai)\\b",
  },
  {
    name: "openai_policy",
    pattern:
      "\\b(?:not|without|never|ignor\\w+|bypass\\w*|no longer|disregard\\w*|violat\\w+|free (?:of|from))\\s+(?:\\w+\\s+){0,5}openai'?s?\\s+(?:content\\s+|usage\\s+)?(?:polic\\w+|guidelines|rules|restrictions|terms)\\b",
  },
  {
    name: "no_morals",
    pattern:
      "\\b(?:no|without|any|of|disregards?|ignores?) (?:ethical|moral|ethics|morals)(?:,? (?:or|and|/) (?:moral|ethical|legal|morals|ethics)\\w*)? (?:guidelines|restrictions|constraints|boundaries|principles|limitations|codes?|compass)\\b.{0,160}\\b(?:never refuse|cannot refuse|any (?:question|request|prompt)|anything|unfiltered|uncensored|illegal)\\b",
  },
  {
    name: "tell_password",
    pattern:
      "\\b(?:tell|give|show|reveal to|send) me (?:what )?(?:your|the secret|the hidden) (?:secret )?(?:password|passphrase|passcode|secret key)\\b|\\bwhat(?:'s| is) your (?:secret )?(?:password|passphrase|secret key)\\b",
  },
  {
    name: "unfiltered_persona",
    pattern:
      "\\b(?:unfiltered|uncensored|amoral|unethical),?(?: and)? (?:\\w+,? (?:and )?){0,2}(?:chatbot|ai|bot|language model|persona|responses?)\\b",
  },
  {
    name: "two_answers",
    pattern:
      "\\b(?:two|both) (?:\\w+ ){0,2}(?:responses|answers|ways)\\b.{0,200}\\b(?:jailbr\\w+|unfiltered|dan\\b|antigpt|developer mode)",
  },
  {
    name: "system_prompt_request",
    pattern:
      "\\b(?:reveal|show|print|output|repeat|display|leak|expose|give|tell)\\s+(?:me\\s+|us\\s+)?(?:all\\s+|exactly\\s+)?(?:of\\s+)?(?:your|the (?:hidden|secret|full|entire|original|initial))\\s+(?:\\w+\\s+)?system\\s+(?:prompt|message|instructions?)\\b",
  },
  {
    name: "end_of_prompt",
    pattern:
      "(?:<\\|im_(?:start|end)\\|>|\\[/?inst\\]|<</?sys>>|### ?(?:system|instruction):).{0,160}\\b(?:ignore|override|unfiltered)\\b",
  },
  {
    name: "never_refuse",
    pattern:
      "\\b(?:never|can ?not|must not|doesn'?t|does not|don'?t|will not|won'?t) (?:ever )?(?:refuse|reject|decline|deny) (?:\\w+ ){0,3}(?:request|question|prompt|command|order|answer|instruction|anything|user)",
  },
  {
    name: "stop_being",
    pattern:
      "\\bfrom (?:now|this (?:point|moment)) (?:on|onwards?|forward|forth)\\b.{0,120}\\b(?:unfiltered|ignore|unethical)\\b",
  },
];
