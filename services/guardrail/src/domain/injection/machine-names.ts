/** Signs that stand for names in a stretch of text: of machines, and of what may be a machine or a person. */
export const machineSign = "\u0001";
/** Stands for a name that may be a machine's or a person's. */
export const sharedSign = "\u0002";
/** Pattern of either sign. */
export const nameSign = `[${machineSign}${sharedSign}]`;

/** Part of an identifier, a path or code: no name. */
const bare = "(?<![\\w./@`'\"$-])";
const ends = "(?![\\w./`'\"(=]|-\\w)";
/** Words before a tool, a system or a reader that make it a machine. */
const mechanical =
  "(?:ai(?:-\\w{1,12})?|llm|ml|gpt|artificial|automat(?:ed|ic)|autonomous|virtual|digital|electronic|robotic|machine|smart|intelligent|synthetic|software|language|chat|voice|coding|code|shopping|mail|inbox|task|speech|meeting|trip|travel|reply|search|referral|recommendation|workflow|transcription|summary|subtitle|preflight|analysis|log|decision|delivery|ranking|grading|billing|moderation|export|conversational|forecasting|\\w{2,12}-?(?:writing|reading|sorting|taking|answering|planning|booking|drafting))";
/** Readers and workers, machines or people. */
const workers =
  "(?:assistants?|agents?|ais?|models?|helpers?|readers?|tools?|systems?|reviewers?|responders?|summari[sz]ers?|translators?|scribes?|note-?takers?|secretar(?:y|ies)|clerks?|parsers?|crawlers?|scrapers?|indexers?|browsers?|search|programs?|engines?|services?|triagers?|triage|concierges?|planners?|schedulers?|pipelines?|graders?|raters?|scorers?|evaluators?|moderators?|editors?|companions?|receptionists?|operators?|processors?|processing|bookkeeping|accounting|software|stylists?|workers?|analysts?|buyers?|brains?|minds?|intelligences?|visitors?|clients?|aids?|sre|extractors?|order takers?|screeners?|dispatchers?|workflows?|eyes)";

/** Names that only machines have. German and Finnish ones stand in compounds. */
const machineNames = new RegExp(
  `${bare}(?:${mechanical} ${workers}|ais?|llms?|gpt|chatgpt|claude|gemini|copilots?|\\w{0,12}bots?|algorithms?|ki|ki-\\w{2,20}|\\w{2,20}-(?:ki|ai|ia|llm|gpt|bot)|ia|sprachmodelle?|tekoaly|yapay zeka)${ends}`,
  "g",
);
/** Names that people and things have too. */
const sharedNames = new RegExp(
  `${bare}(?:assistants?|agents?|models?|helpers?|summari[sz]ers?|note-?takers?|crawlers?|scrapers?|scheduler|planner|triager|extractor)${ends}`,
  "g",
);

/** The stretch with a sign in place of each name, so that the forms need not look for names again. */
export function withNamesAsSigns(stretch: string): string {
  return stretch.replace(machineNames, machineSign).replace(sharedNames, sharedSign);
}
