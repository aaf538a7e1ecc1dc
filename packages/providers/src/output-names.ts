/**
 * Names of the longest answer in lower case without signs: those of OpenAI, of compatible servers, and of the models behind them.
 * A budget's limit replaces all of them, because a server that reads another name than the one set would ignore it.
 */
const limitNames: ReadonlySet<string> = new Set([
  "maxcompletiontokens", "maxtokens", "maxoutputtokens", "maxnewtokens", "maxgeneratedtokens", "maxresponsetokens",
  "maxanswertokens", "maxtokenstosample", "maxtokenstogenerate", "tokenstogenerate", "maxtokencount", "maxgentokens",
  "maxlength", "maxgenlen", "maxgenlength", "maxcompletionlength", "maxgenerationlength", "maxoutputlength",
  "maxresponselength", "npredict", "numpredict", "numtokens", "maxdecodesteps",
]); // prettier-ignore

/** Names of the number of answers that match no rule below. */
const countNames: ReadonlySet<string> = new Set(["n", "bestof", "nbest", "bestofn", "beamwidth"]);
/** Words for the things that a server makes several of. */
const answerWords: ReadonlySet<string> = new Set(
  [
    ["answer", "answers", "beam", "beams", "candidate", "candidates", "choice", "choices", "completion", "completions"],
    ["generation", "generations", "output", "outputs", "response", "responses", "result", "results"],
    ["sample", "samples", "sequence", "sequences"],
  ].flat(),
);
const countWords: ReadonlySet<string> = new Set(["n", "num", "number", "count", "total"]);
/** Words between the two: `num_return_sequences`, `number_of_completions`. */
const fillWords: ReadonlySet<string> = new Set(["of", "return", "returned", "per", "prompt", "max"]);

/** Whether some server reads a parameter as the longest answer. */
export function namesAnswerLimit(name: string): boolean {
  return limitNames.has(wordsOf(name).join(""));
}

/**
 * Whether some server reads a parameter as the number of answers, each of which is billed: `num_generations`, `candidateCount`,
 * `n_completions`. Matched by words, since dialects have dozens of such names.
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
