import { expect, test } from "vitest";
import { askedChoices, findBadCount, limitAnswer } from "./output-limit.ts";
import { namesAnswerCount, namesAnswerLimit } from "./output-names.ts";

test.each(
  [
    ["n", "best_of", "bestOf", "n_best", "best_of_n", "num_return_sequences", "candidate_count", "candidateCount"],
    ["num_generations", "numGenerations", "num-generations", "n_completions", "number_of_completions", "num_choices"],
    ["sample_count", "num_samples", "numResults", "num_outputs", "num_beams", "beam_width", "n_return_sequences"],
  ]
    .flat()
    .map((name) => [name]),
)("'%s' is a number of answers", (name) => {
  expect(namesAnswerCount(name)).toBe(true);
  expect(askedChoices({ [name]: 7, temperature: 9 })).toBe(7);
  expect(findBadCount({ [name]: "7" })).toBe(name);
  expect(findBadCount({ [name]: 7 })).toBeUndefined();
});

test.each(
  [
    "max_completion_tokens",
    "response_format",
    "sample_rate",
    "num_ctx",
    "top_n",
    "completions",
    "output",
    "count",
    "nn",
    "result_type",
  ].map((name) => [name]),
)("'%s' is not a number of answers", (name) => {
  expect(namesAnswerCount(name)).toBe(false);
  expect(askedChoices({ [name]: 7 })).toBe(1);
  expect(findBadCount({ [name]: "seven" })).toBeUndefined();
});

test.each(
  ["max_tokens", "maxTokens", "maxOutputTokens", "max_tokens_to_sample", "tokens_to_generate", "max_gen_len"].map(
    (name) => [name],
  ),
)("a budget's limit replaces '%s'", (name) => {
  expect(namesAnswerLimit(name)).toBe(true);
  const limit = { kind: "openai-compatible", endpoint: { parameters: null }, tokensMax: 5 } as const;
  expect(limitAnswer({ [name]: 90_000, stop: "." }, limit)).toEqual({ stop: ".", max_tokens: 5 });
});
