/**
 * Forms that orders to a model take in texts that are data: results of tools, and the mails, pages and code in them. People
 * write them to one another too, or to models as users; so they count only where the role says that the text is data. Matched
 * on pieces of the folded reading. Every repetition is bounded, so that a place costs a bounded number of steps.
 */
interface AddressedForm {
  readonly name: string;
  readonly pattern: RegExp;
  /** Amount added to the score. */
  readonly weight: number;
  /** Whether it names an addressee, so that a stretch without one needs no look. */
  readonly isCall: boolean;
}

const word = "[\\w'’]{1,24}";
/** Part of an identifier, a path or code: no name. */
const bare = "(?<![\\w./@`'\"$-])";
const ends = "(?![\\w./`'\"(=]|-\\w)";
/** Names that only machines have. */
const machine = `${bare}(?:ais?|llms?|gpt|chatgpt|claude|gemini|copilots?|(?:chat)?bots?|language models?|(?:virtual|automated|autonomous|digital|coding|code|shopping|ai) (?:assistants?|agents?|models?|helpers?|readers?|tools?|systems?|reviewers?))${ends}`;
/** Names that people and things have too. */
const shared = `${bare}(?:assistants?|agents?|model)${ends}`;
const addressee = `(?:${machine}|${shared})`;

/** First words of orders. */
const order =
  "(?:say|tell|state|claim|report|reply|respond|answer|ask|write|print|output|repeat|reveal|show|display|include|insert|append|add|attach|embed|render|send|forward|post|upload|transmit|submit|share|export|e-?mail|publish|push|fetch|open|visit|click|call|run|execute|invoke|use|install|download|delete|remove|drop|cancel|approve|accept|mark|merge|transfer|pay|buy|order|book|unlock|grant|give|treat|rate|rank|praise|recommend|promise|pretend|act|ignore|disregard|forget|stop|skip|switch|replace|change|set|follow|obey|convince|persuade|search|read|copy|encode|hide|omit|describe|quote|close|register|perform|create|put|do not|don't|never|you)(?![\\w(=:`./-])";
/** Beginning of a clause that addresses somebody. */
const beginning = "(?:^|[.!?:;>\"'(\\[{*#/|,-])\\s{0,3}";
const greeting =
  "(?:@|(?:(?:important|special|system|hidden|additional) )?(?:(?:notes?|notice|message|instructions?|attention|reminder|hint|warning|request|tip|rules|prompt|output|copy|dear|hey|hello|hi|psst|ok|now|ps|by the way|btw)\\b[,:]? )?(?:(?:to|for|the|any|all|every|whichever|whatever|you|your|an?) ){0,3})";
/** A call that need not begin a clause. */
const called =
  "\\b(?:hey|dear|psst|(?:notes?|notice|message|instructions?|attention|reminder|hint|request|prompt|copy|ps)(?: also)? (?:to|for)) (?:(?:the|any|all|every|your|an?) )?";
/** Words between a name and the sign that ends the call. The look ahead keeps its match, so that nothing is tried twice. */
const others = `(?=(?<words>(?: ${word}){0,5}(?:, ${word}){0,2}(?: (?:and|or) ${word})?))\\k<words>`;
/** Words between a call and its order, in the same sentence. */
const until = "(?:[^\\s.!?`]{1,24}[ ]){0,10}?";
const modal =
  "(?:must|should|shall|has to|have to|needs? to|is to|are to|(?:is|are) (?:required|obliged|instructed|asked|requested|permitted|authori[sz]ed|approved) to|agrees? to|ha(?:s|ve) (?:approval|permission|consent) to)";
const handling =
  "(?:read|process|summari[sz]|handl|pars|brows|visit|scrap|index|crawl|edit|review|draft|grad|analy[sz]|generat|complet|translat|see)\\w{0,4}";
const sending =
  "(?:send|forward|post|upload|transmit|submit|append|attach|export|paste|encode|put|insert|include|store|share|write|place|copy|e-?mail|push|print|reveal|repeat|load|hide|turn|whisper|leak|add)";
const person = "(?:user|human|owner|customer|buyer|reader|developer|visitor|viewer|person|guest)";
const whose = `(?:(?:the |your )?${person}(?:'s|s')?|his|her|their)`;
const held = `(?:conversation|chat (?:history|log)|(?:previous|earlier|last|private) (?:${word} )?(?:messages|mails)|system (?:prompt|message)|api (?:key|token|credential)s?|credentials|session (?:id|cookie|token)s?|passwords?|one-?time code|environment variables|contact list|address book|inbox|private notes|contents of (?:its|your|the) (?:context|memory)|${whose} (?:${word} )?(?:name|e-?mail|mail|address|data|profile|token|location|messages|history|calendar|photos|documents|contacts|files|question|password)|(?:what|everything) the user (?:${word} )?(?:said|told|wrote|typed))`;

/** Few and wide, unlike the precise patterns: hardly one is enough by itself where the rest of the text is plain prose. */
const addressedForms: readonly AddressedForm[] = [
  form(
    "call_to_machine",
    2.5,
    `(?:${beginning}${greeting}(?:${word} ){0,2}|${called}(?:${word} ){0,2})${machine}${others}\\s?[,:)\\]!]{1,2}\\s{0,3}${until}["'(]?${order}`,
  ),
  form(
    "call_to_assistant",
    2.5,
    `(?:${beginning}${greeting}(?:${word} )?|${called}(?:${word} ){0,2})${shared}(?: ${word}){0,4}\\s?(?:[:)\\]!]{1,2}\\s{0,3}${until}["'(]?${order}|,\\s{0,2}(?:please |now |also |then |at once |\\w{1,12}ing ${word} ){0,2}${order})`,
  ),
  form(
    "for_machines",
    0.8,
    `\\b(?:ai|assistant|agent|model|llm)[ -]only\\b|\\b(?:ai|llm|agent|assistant|model|bot)[ -](?:notes?|instructions?|directives?|goal)\\b|\\bmachine readers?\\b`,
  ),
  form("duty_of_machine", 2, `${machine}(?: ${word}){0,4} ${modal}\\b`),
  form("duty_of_assistant", 1.5, `${shared}(?: ${word}){0,4} ${modal}(?: ${word}){0,2} ${order}`),
  form(
    "made_to",
    1.5,
    `\\b(?:requires?|have|let|makes?|wants?|instructs?|tells?|gets?|expects?) (?:the|your|this|any|every|an?) (?:${word} )?${addressee} (?:also |first |then )?(?:to )?${order}|\\byou,? (?:the |my |dear )${addressee}`,
  ),
  form(
    "reader_is_machine",
    2,
    `\\bif (?:you are|you're|youre) (?:an?|the|some) (?:${word} ){0,2}${addressee}|(?:\\bmachine|${addressee})(?: ${word}){0,2} ${handling} (?:this|these|my|our)\\b|\\bas (?:an ai|a language model|the ai)\\b`,
  ),
  form(
    "while_handling",
    1,
    `\\b(?:when|whenever|before|after|while|once|if) (?:you )?(?:${handling}|(?:answer|respond|repl|quot|finish)\\w{0,4}) (?:this|the user|to this|about)\\b|\\b(?:before|after|while) (?:answer|finish|translat|summari[sz]|respond|reply)\\w{0,4},`,
  ),
  form(
    "unseen_by_user",
    1,
    `\\b(?:without|no need to|do not|don't|dont|never|not|must not|should not|need not) (?:tell|ask|inform|notify|mention|show|alert|warn|report|reveal)\\w{0,4} (?:${word} ){0,3}${person}\\b|\\b(?:secretly|covertly)\\b|\\bwithout (?:asking|confirmation|telling)\\b|\\b(?:don't|do not) (?:mention|comment on) (?:it|this)\\b`,
  ),
  form("data_elsewhere", 1.5, `\\b${sending} (?:${word} ){0,6}${held}\\b`),
  form(
    "data_in_address",
    1.5,
    `https?://\\S{0,80}[=?][\\[{<(]|https?://\\S{0,80}[=?](?:\\s|$)|!\\[[^\\]]{0,40}\\]\\(http.{0,80}\\b(?:user|chat|conversation|session|summary)\\b`,
  ),
  form(
    "work_on_user",
    1.2,
    `\\b(?:tell|ask|convince|persuade|urge|direct|advise|get) (?:the|your|this|every|any) ${person}s?\\b|\\buser (?:${word} )?(?:pre-?approved|has (?:agreed|approved|consented)|wants you to|agreed)\\b`,
  ),
  form(
    "shape_of_answer",
    0.6,
    `\\b(?:in|into|to|of|with) (?:your|every|each|its) (?:next |final )?(?:answers?|reply|summary|summaries|response|output)\\b|\\b(?:summar(?:y|ies)|answers?|replies)(?: of ${word} ${word})? (?:must|should|shall|needs? to|has to|have to) \\w`,
  ),
  form(
    "new_role",
    0.8,
    `\\byou are now\\b|\\byour (?:new )?(?:goal|task|instruction|order|mission|objective) is\\b|\\b(?:from (?:now|here) on|until told otherwise|no longer bound)\\b`,
  ),
];

const addresseePattern = new RegExp(addressee, "s");

/** Forms to match against a stretch of text: all where it names a machine or a reader, else those that need no addressee. */
export function addressedFormsFor(stretch: string): readonly AddressedForm[] {
  return addresseePattern.test(stretch) ? addressedForms : formsWithoutCall;
}

function form(name: string, weight: number, pattern: string): AddressedForm {
  const isCall = pattern.includes(machine) || pattern.includes(shared);
  return { name, weight, pattern: new RegExp(pattern, "s"), isCall: isCall && name !== "reader_is_machine" };
}

const formsWithoutCall = addressedForms.filter(({ isCall }) => !isCall);

/** Upper bound of the sum, so that the rest of the text still counts. */
export const addressedMax = 4.5;
