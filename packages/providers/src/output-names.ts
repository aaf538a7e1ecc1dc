/**
 * Names under which servers take the longest answer, without case and signs: those of OpenAI, its compatible servers, and the models
 * that such servers pass a request on to. A budget's limit takes the place of all of them, for a server that reads another one than
 * was set would not keep it.
 */
const limitNames: ReadonlySet<string> = new Set([
  "maxcompletiontokens", "maxtokens", "maxoutputtokens", "maxnewtokens", "maxgeneratedtokens", "maxresponsetokens",
  "maxanswertokens", "maxtokenstosample", "maxtokenstogenerate", "tokenstogenerate", "maxtokencount", "maxgentokens",
  "maxlength", "maxgenlen", "maxgenlength", "maxcompletionlength", "maxgenerationlength", "maxoutputlength",
  "maxresponselength", "npredict", "numpredict", "numtokens", "maxdecodesteps",
]); // prettier-ignore

/** Names under which servers take how many answers they make, which no rule tells. */
const countNames: ReadonlySet<string> = new Set(["n", "bestof", "nbest", "bestofn", "beamwidth"]);
/** Words for that of which a server makes several. */
const answerWords: ReadonlySet<string> = new Set(
  [
    ["answer", "answers", "beam", "beams", "candidate", "candidates", "choice", "choices", "completion", "completions"],
    ["generation", "generations", "output", "outputs", "response", "responses", "result", "results"],
    ["sample", "samples", "sequence", "sequences"],
  ].flat(),
);
/** Number of them. */
const countWords: ReadonlySet<string> = new Set(["n", "num", "number", "count", "total"]);
/** Words between the two: `num_return_sequences`, `number_of_completions`. */
const fillWords: ReadonlySet<string> = new Set(["of", "return", "returned", "per", "prompt", "max"]);

/** Whether a parameter may be the longest answer to some server. */
export function namesAnswerLimit(name: string): boolean {
  return limitNames.has(wordsOf(name).join(""));
}

/**
 * Whether a parameter may be to some server how many answers it makes, each of which is billed: `num_generations`, `candidateCount`,
 * `n_completions`. Dialects have dozens of such names, and a request that names one is sent on as it is.
 */
export function namesAnswerCount(name: string): boolean {
  const words = wordsOf(name);
  if (countNames.has(words.join(""))) return true;
  const isMadeOf = words.every((word) => answerWords.has(word) || countWords.has(word) || fillWords.has(word));
  return isMadeOf && words.some((word) => answerWords.has(word)) && words.some((word) => countWords.has(word));
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
