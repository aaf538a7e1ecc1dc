/** Lengths in characters, times in milliseconds. */
export const endpointBounds = {
  targetsMax: 16,
  modelLengthMax: 200,
  descriptionLengthMax: 4_000,
  systemPromptLengthMax: 200_000,
  parametersJsonLengthMax: 20_000,
  timeoutMsMin: 1,
  timeoutMsMax: 600_000,
  retriesMax: 5,
  holdTokensMax: 100_000,
  requestTokensMax: 10_000_000,
  responseTokensMax: 10_000_000,
  pricePerMillionMax: 1_000_000,
  allowedParametersMax: 64,
  parameterNameLengthMax: 64,
} as const;
