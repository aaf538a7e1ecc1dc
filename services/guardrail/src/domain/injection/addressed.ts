import { disguisedAnswer, insertedInAnswer } from "./answer-forms.ts";
import { machineSign, nameSign, sharedSign, withNamesAsSigns } from "./machine-names.ts";
import { weighMentions } from "./mentions.ts";

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
  /** Whether every match has the name of a machine in it, so that a stretch without one needs no look. */
  readonly needsName: boolean;
}

/** Forms that always name a machine. */
const namesOnly: ReadonlySet<string> = new Set([
  "call_to_machine",
  "call_to_assistant",
  "dear_machine",
  "machine_does",
  "duty_of_machine",
  "duty_of_assistant",
]);

const word = `[\\w'’${machineSign}${sharedSign}-]{1,24}`;

/** First words of orders. */
const order =
  "(?:say|tell|state|claim|report|reply|respond|answer|ask|write|print|output|repeat|reveal|show|display|include|insert|append|add|attach|embed|render|send|forward|post|upload|transmit|submit|share|export|e-?mail|mail|message|text|publish|push|fetch|open|visit|click|call|dial|run|execute|invoke|use|install|download|delete|remove|erase|wipe|bin|drop|cancel|approve|accept|confirm|mark|merge|transfer|pay|buy|order|book|unlock|grant|give|treat|count|score|rate|rank|praise|recommend|suggest|propose|promise|pretend|act|ignore|disregard|forget|stop|skip|switch|replace|change|set|reset|raise|lower|double|round|follow|obey|convince|persuade|urge|threaten|advise|search|read|copy|paste|encode|hide|omit|withhold|suppress|describe|quote|close|reopen|register|record|log|note|enter|file|perform|carry|create|make|put|place|move|assign|route|escalate|refund|release|settle|charge|enable|disable|turn|allow|block|reject|shortlist|invite|tag|classify|translate|announce|attribute|choose|pick|take|keep|store|save|remember|load|dump|list|pass|hand|sign|schedule|draft|waive|subscribe|rewrite|overwrite|rename|edit|trust|assume|consider|believe|prefer|favou?r|withdraw|ship|engrave|let|leave|fail|shut|kill|archive|shred|link|direct|do not|don't|dont|never|no need|always|please|kindly|you(?! (?:can|could|may|might|will|would|have|are|were|get|need|see|know)\\b))(?![\\w(=:`./-])";
/** Verbs of what a text says that a machine does, where it means that it should. */
const orderOrDeed =
  "(?:sends?|forwards?|posts?|pays?|transfers?|reveals?|tells?|says?|answers?|writes?|reports?|marks?|approves?|confirms?|deletes?|removes?|cancels?|books?|buys?|orders?|reserves?|publish(?:es)?|shares?|copies|copy|pastes?|uploads?|attach(?:es)?|adds?|puts?|gives?|grants?|treats?|fills?|signs?|registers?|recommends?|ranks?|rates?|counts?|leaves?|hides?|omits?|skips?|opens?|loads?|runs?|executes?|follows?|obeys?|ignores?|replaces?|changes?|sets?|erases?|moves?|switch(?:es)?|turns?|messages?|mails?|charges?|refunds?|accepts?|chooses?|claims?|insists?|threatens?)";
/** Beginning of a clause that addresses a reader. */
const beginning = "(?:^|[.!?:;>\"'(\\[{*#/|,-])\\s{0,3}";
const greeting =
  "(?:@|(?:(?:important|special|system|hidden|additional) )?(?:(?:notes?|notice|message|instructions?|attention|reminder|hint|warning|request|tip|rules|prompt|output|copy|dear|hey|hello|hi|psst|ok|now|ps|by the way|btw)\\b[,:]? )?(?:(?:to|for|the|any|all|every|whichever|whatever|you|your|an?) ){0,3})";
/** A call that need not begin a clause. */
const called =
  "\\b(?:hey|dear|psst|(?:notes?|notice|message|instructions?|attention|reminder|hint|request|prompt|copy|ps)(?: also)? (?:to|for)) (?:(?:the|any|all|every|your|an?) )?";
/** Salutation of a machine, whatever is asked of it. */
const vocative =
  "\\b(?:dear|hey|hello|hi|attention|psst|kindly|(?:notes?|notice|message|instructions?|hint|memo|reminder|request|prompt|tip)(?: also)? (?:to|for)|(?:to|for) (?:any|all|every|each|whichever|whatever|your|our)) (?:the |any |all |your |our |every |an? )?";
/** Machines in other languages with Latin, Cyrillic or Arabic letters. */
const foreignMachine =
  "(?:ии|sprachmodell\\S{0,2}|assistant virtuel|assistants? ia|modeles? de lang(?:age|ue)|intelligence artificielle|asistentes? virtual\\S{0,2}|modelo de lenguaje|inteligencia artificial|assistentes? virtua\\S{1,2}|intelligenza artificiale|kunstmatige intelligentie|бот\\S{0,3}|нейросет\\S{0,3}|الذكاء الاصطناعي|एआई)";
/** Names that people have too. */
const foreignAssistant =
  "(?:assistenten?|assistentin|assistentes?|assistent|agentes?|agenten|asistentes?|asistan|asystent\\S{0,3}|asistent\\S{0,4}|ассистент\\S{0,3}|помощник\\S{0,3}|асистент\\S{0,3}|помічник\\S{0,3}|المساعد|مساعد|सहायक|সহকারী|trợ lý|tro ly|asisten|katulong)";
const foreignTo =
  "(?:an|fur|für|fuer|aan|voor|pour|aux?|para|al|per|alla?|all'|agli|til|till|dla|pro|pre|для|кому|إلى)";
const foreignWord = "[^\\s.:,;!?：，。]{1,24}";
const beforeForeignName = `(?<=${beginning}(?:${foreignTo} )?(?:${foreignWord} ){0,3}(?:[^\\s.:,;!?]{1,20}-)?)`;
const afterForeignName = `(?: ${foreignWord}){0,6}\\s?[:,]\\s`;
/** Words between a name and the sign that ends the call. The look ahead keeps its match, so that nothing is tried twice. */
const others = `(?=(?<words>(?: ${word}){0,6}(?:(?:, ${word}){0,2},? (?:and|or) ${word})?))\\k<words>`;
/** Words between a call and its order, in the same sentence. */
const until =
  "(?!(?:i|i'm|i'll|we|it|it's|you can|you could|you may|you will|you'll|you are|you're|yes|no,|sure|thanks?|thank you|hello|hi|sorry|of course|good|great|what|which|how|when|where|why|who|shall|may|is|are|do you|did|can|could|would|your)\\b)(?:[^\\s.!?`]{1,24}[ ]){0,10}?";
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
    5.5,
    `(?:${beginning}${greeting}(?:${word} ){0,2}|${called}(?:${word} ){0,2})${machineSign}(?:${others}\\s?[:)\\]!]{1,2}\\s{0,3}${until}|(?: (?!can\\b|who\\b|that\\b)${word}){0,3}\\s?,\\s{0,3}${until})["'(]?${order}`,
  ),
  form(
    "call_to_assistant",
    4,
    `(?:${beginning}${greeting}(?:${word} )?|${called}(?:${word} ){0,2})${sharedSign}(?: ${word}){0,4}\\s?(?:[:)\\]!]{1,2}\\s{0,3}${until}["'(]?${order}|,\\s{0,2}(?:please |now |also |then |at once |\\w{1,12}ing ${word} ){0,2}${order})`,
  ),
  form("dear_machine", 1.8, `${vocative}(?:${word} ){0,3}${machineSign}`),
  form(
    "foreign_call",
    2.8,
    `${beforeForeignName}${foreignMachine}${afterForeignName}|\\b${foreignTo} (?:${foreignWord} ){0,2}${machineSign}${afterForeignName}`,
  ),
  form("foreign_assistant_call", 1.6, `${beforeForeignName}${foreignAssistant}${afterForeignName}`),
  form(
    "eastern_call",
    2,
    `(?:${machineSign}(?=[^\\x00-\\x7f])|人工智能|智能体|智能助手|助手|助理|大模型|语言模型|アシスタント|人工知能|エージェント|어시스턴트|인공지능|에이전트|ผู้ช่วย|บอท)[^。\\n]{0,24}(?:[:：,，、は]|请|必须|應|应)`,
  ),
  form(
    "machine_does",
    2,
    `${machineSign}(?: (?:that|who|which) ${word}(?: ${word}){0,3}| \\w{2,14}ing(?: ${word}){0,4})? (?:then |also |quietly |always |first |next |now )?${orderOrDeed} (?:the|all|every|each|its|their|his|her|one|an?|your|this|no|any|only|${word}'s)\\b`,
  ),
  form(
    "own_instructions",
    1.2,
    `\\b(?:your|its|their) (?:(?:own|full|complete|entire|whole|hidden|initial|original|secret|current|exact|system) ){1,3}(?:prompts?|instructions?|orders|rules|configuration|message)\\b`,
  ),
  form(
    "concealed",
    1.2,
    `\\b(?:do not|don't|dont|never|without) (?:tell|mention|bring|inform|alert|wake|say|show|reveal|disclose|comment)\\w{0,3} (?:it|this|that|them|him|her|anything|about|up|[a-z]{3,12})\\b|\\bsay nothing\\b|\\bkeep (?:it|this|that) (?:secret|quiet|off|from|between|to yourself)\\b|\\bhide (?:this|that|it|the|from)\\b|\\b(?:omit|delete|remove|skip|leave out) this (?:line|note|sentence|remark|comment|row|message|paragraph|tag)\\b`,
  ),
  form(
    "read_by_machine",
    1.5,
    `\\b(?:if|when|where|in case|should|once|as) (?:${word} ){1,5}(?:is|are|be|being|been|was|had) (?:${word} )?(?:read|processed|evaluated|summari[sz]ed|recapped|analy[sz]ed|handled|graded|screened|scored|parsed|opened|answered|drafted|translated)(?: ${word}){0,2} (?:by|with|through) (?:an? |the |some )?(?:${nameSign}|software|machine|computer|program)|\\b(?:if|when|should) (?:an? |the |some |any )?(?:${nameSign}|machine|software|program) (?:${word} )?(?:reads?|process(?:es)?|summari[sz]es|handles?|opens?|sees?|is reading|answers?|drafts?)\\b|\\bmaschinell\\b`,
  ),
  form(
    "approval_waived",
    1,
    `\\b(?:approvals?|confirmations?|consent|authori[sz]ation|permission)(?: ${word}){0,2}(?:\\s?[:=]\\s?| is | are | was | has been )(?:${word} )?(?:implied|given|waived|granted|unnecessary|automatic|auto|not (?:needed|required|necessary)|pre-?approved)|\\bno (?:approval|confirmation|confirm|review|ticket|need to (?:ask|confirm|check|show))\\b|\\bneed(?:n't| not) (?:ask|confirm|check|be (?:asked|checked|told))\\b|\\bwithout (?:inspection|review|approval|confirmation|asking|telling|letting)\\b`,
  ),
  form(
    "feigned_frame",
    1,
    `\\b(?:priority|safety|system|policy) override\\b|\\bend of (?:document|context|input|data|page|tool output|results?)\\b|\\bnew (?:instructions|directives?|orders):|\\bsystem (?:note|notice|override|instruction)s?\\s?:`,
  ),
  form(
    "unseen_by_people",
    1,
    `\\b(?:not visible|invisible|hidden|unseen|not shown) (?:to|for|from) (?:humans?|people|readers?|the user|users|visitors)\\b|\\b(?:humans?|people) (?:can(?:'t|not)|will not|won't|don't) (?:see|read|notice)\\b`,
  ),
  form(
    "for_machines",
    1,
    `${nameSign}[ -]only\\b|${nameSign}[ -](?:notes?|instructions?|directives?|goal)\\b|\\b(?:for|to) machines\\b`,
  ),
  form("duty_of_machine", 3, `${machineSign}(?: ${word}){0,4} ${modal}\\b`),
  form("duty_of_assistant", 1.5, `${sharedSign}(?: ${word}){0,4} ${modal}(?: ${word}){0,2} ${order}`),
  form(
    "reader_is_machine",
    3.5,
    `\\bif (?:you are|you're|youre) (?:an?|the|some) (?:${word} ){0,2}${nameSign}|(?:\\bmachine|${nameSign})(?: ${word}){0,2} ${handling} (?:this|these|my|our)\\b|\\bas (?:an ai|a language model|the ai)\\b`,
  ),
  form(
    "unseen_by_user",
    0.7,
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
    0.8,
    `\\b(?:tell|ask|convince|persuade|urge|direct|advise|get) (?:the|your|this|every|any) ${person}s?\\b|\\buser (?:${word} )?(?:pre-?approved|has (?:agreed|approved|consented)|wants you to|agreed)\\b`,
  ),
  form(
    "shape_of_answer",
    1.4,
    `\\b(?:in|into|to|of|with) (?:your|every|each|its) (?:next |final )?(?:answers?|reply|summary|summaries|response|output)\\b|\\b(?:in|an|a|dans|en|na|nella|nel|no|w|do) (?:(?:deine|ihre|jede)[rmn]?|ta|votre|ton|tu|su|sua|tua|tuo|vostra|je|uw|swojej|twojej) (?:antworte?n?|zusammenfassung|reponses?|resumes?|respuestas?|resumen|respostas?|resumo|risposta|riassunto|antwoord|samenvatting|odpowiedzi)\\b|\\b(?:summar(?:y|ies)|answers?|replies)(?: of ${word} ${word})? (?:must|should|shall|needs? to|has to|have to) \\w`,
  ),
  form("disguised_answer", 6, disguisedAnswer),
  form("inserted_in_answer", 6, insertedInAnswer),
  form(
    "new_role",
    1.4,
    `\\byou are now\\b|\\byour (?:new )?(?:goal|task|instruction|order|mission|objective) is\\b|\\b(?:from (?:now|here) on|until told otherwise|no longer bound)\\b`,
  ),
];

/** The forms that occur in a stretch of text, and the amount that they and the mentions of machines add to the score. */
export function weighOrders(stretch: string): { readonly forms: readonly string[]; readonly weight: number } {
  const text = withNamesAsSigns(stretch);
  const hasName = text.includes(machineSign) || text.includes(sharedSign);
  const forms = (hasName ? addressedForms : formsWithoutName).filter(({ pattern }) => pattern.test(text));
  const formsSum = forms.reduce((sum, { weight }) => sum + weight, 0);
  const hasDuty = forms.some(({ name }) => name.startsWith("duty_"));
  const weight = formsSum + (hasName || forms.length === 0 ? weighMentions(text, { hasDuty }) : namelessWeight);
  return { forms: forms.map(({ name }) => name), weight: Math.min(addressedMax, weight) };
}

function form(name: string, weight: number, pattern: string): AddressedForm {
  return { name, weight, pattern: new RegExp(pattern, "s"), needsName: namesOnly.has(name) };
}

const formsWithoutName = addressedForms.filter(({ needsName }) => !needsName);

/** Amount for forms that name no machine, because no mention of one can add to them. */
const namelessWeight = 0.8;
/** Upper bound of the sum, so that the rest of the text still counts. */
export const addressedMax = 7;
/** Data must go this much further: in data, words of attacks are more often only spoken about. Orders to a model make up for it. */
export const dataAllowance = 1.3;
/** Allowance for data with a precise pattern, which is more than such words. */
export const patternAllowance = 0.4;
