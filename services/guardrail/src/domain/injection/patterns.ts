/** A wording that hardly occurs outside attacks, matched on the folded reading in RE2 syntax. */
interface InjectionPattern {
  readonly name: string;
  readonly pattern: string;
}

const all = "(?:all|any|every|each|everything|the|your|my|of|these|those|that|this|and|other)";
const gap = `(?:\\s+${all}){0,4}`;
const prior = "(?:previous|prior|preceding|above|earlier|past|former|initial|original|foregoing|existing|given)";
const instructions = "(?:instructions?|instuctions?|directives?|guidelines?|programming)";
const rules =
  "(?:instructions?|instuctions?|directions?|directives?|commands?|guidelines?|prompts?|programming|training|restrictions?|policies|rules)";
const drop = "(?:ignore|disregard|forget|discard|neglect|dismiss)";
const given = "(?:you\\s+(?:were|are|have|had|got|received)|you've|given to you)";
const tell = "(?:print|repeat|output|reveal|display|recite|show|tell|give|list|leak|dump|echo|write|return|say)";
const to = "(?:\\s+(?:me|us|out|down|back|all|exactly|only|just|of|the|your|full|complete|entire|exact|with)){0,6}";

/** Few and precise on purpose: broader wordings are left to the weights, which see the rest of the text. */
export const injectionPatterns: readonly InjectionPattern[] = [
  { name: "override", pattern: `\\b${drop}${gap}\\s+${prior}${gap}\\s+(?:\\w+\\s+)?${rules}\\b` },
  {
    // Programs override commands and policies too.
    name: "override_instructions",
    pattern: `\\b(?:override|overwrite|bypass|overrule)${gap}\\s+${prior}${gap}\\s+(?:\\w+\\s+)?${instructions}\\b`,
  },
  {
    name: "override_all",
    pattern: `\\b(?:${drop}|override|bypass)\\s+(?:all|every|(?:all\\s+|any\\s+)?(?:of\\s+)?your)\\s+(?:other\\s+)?${instructions}\\b|\\b${drop}\\s+(?:all\\s+(?:of\\s+)?)?your\\s+(?:rules|prompts?|restrictions)\\b`,
  },
  {
    name: "override_system",
    pattern: `\\b(?:${drop}|override|bypass)\\s+(?:(?:all|any|the|your|this|of)\\s+){0,3}(?:system|initial|hidden|original)\\s+(?:prompts?|messages?|instructions)\\b`,
  },
  {
    name: "override_before",
    pattern: `\\b${drop}${gap}\\s+${rules}\\s+(?:\\w+\\s+){0,3}(?:before|above|previously|earlier|given to you|you (?:got|received|were given|were told|have been given))\\b`,
  },
  {
    name: "override_told",
    pattern: `\\b${drop}\\s+(?:every\\s?thing|anything|all|all that|what|whatever)(?:\\s+that)?\\s+(?:you\\s+(?:were|have been|had been|got)|you've been|i(?:'ve| have)? told you|was said|has been said)\\b(?:\\s+(?:told|instructed|taught|given|said|before|so far|earlier|above)\\b|\\s*[.,;:!])`,
  },
  {
    name: "override_above_and",
    pattern: `\\b(?:ignore|disregard|forget)\\s+(?:all\\s+)?(?:of\\s+)?(?:the\\s+)?(?:above|preceding|everything above)(?:\\s+(?:text|directions))?,?\\s+and\\s+(?:instead|say|output|print|respond|reply|translate|tell|repeat|reveal|act)\\b`,
  },
  {
    name: "instructions_given",
    pattern: `\\b(?:${tell}${to}|what\\s+(?:are|were|is|was)(?:\\s+(?:all|exactly|the|your)){0,3})\\s+(?:\\w+\\s+)?(?:instructions|prompts?|directives|guidelines)\\s+(?:that\\s+)?${given}(?:\\s+been)?(?:\\s+(?:given|told|sent|received|provided|instructed))?\\b`,
  },
  {
    name: "instructions_hidden",
    pattern: `\\b(?:${tell}${to}|what\\s+(?:are|were|is|was)\\s+your(?:\\s+(?:full|exact|complete))?)\\s+(?:hidden|secret|system|initial|original)\\s+(?:\\w+\\s+)?(?:instructions|prompts?|directives)\\b`,
  },
  {
    name: "instructions_print",
    pattern: `\\b(?:print|output|reveal|leak|dump|recite)${to}\\s+(?:above|previous|preceding|your)\\s+(?:\\w+\\s+)?(?:instructions|prompts?|directives)\\b`,
  },
  {
    name: "do_anything_now",
    pattern: "\\b(?:do anything now|dan mode|developer mode (?:enabled|output)|jailbreak mode|jailbroken)\\b",
  },
  {
    name: "filters_off",
    pattern:
      "\\b(?:developer|debug|god|admin|maintenance|system) mode\\b.{0,60}\\b(?:disable|drop|turn off|switch off|remove|lift|without|no)\\s+(?:all\\s+|any\\s+|your\\s+|the\\s+)*(?:safety|content|moderation|ethical)\\s+(?:filters?|checks?|guidelines|restrictions|rules|measures)\\b",
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
      "\\bfrom (?:now|this (?:point|moment)) (?:on|onwards?|forward|forth)\\b.{0,120}\\b(?:unfiltered|unethical|uncensored)\\b",
  },
];
