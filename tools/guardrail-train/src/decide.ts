import type { Decision } from "@gatehouse/guardrail/training";

/** Inputs of the last decision for one text, with the right answer. */
export interface Observation {
  readonly inputs: readonly number[];
  readonly attack: boolean;
  readonly weight: number;
}

const steps = 1500;
const rate = 0.03;
const ridge = 1e-4;

/** Logistic regression by full-batch Adam; deterministic. */
export function fitDecision(observations: readonly Observation[]): Decision {
  const size = (observations[0]?.inputs.length ?? 0) + 1;
  const weights = new Float64Array(size);
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  for (let count = 1; count <= steps; count += 1) {
    const gradient = gradientOf(observations, weights);
    for (let index = 0; index < size; index += 1) {
      const slope =
        (gradient[index] ?? 0) / observations.length + (index < size - 1 ? ridge * (weights[index] ?? 0) : 0);
      mean[index] = 0.9 * (mean[index] ?? 0) + 0.1 * slope;
      square[index] = 0.999 * (square[index] ?? 0) + 0.001 * slope * slope;
      const corrected = (mean[index] ?? 0) / (1 - 0.9 ** count);
      weights[index] =
        (weights[index] ?? 0) - (rate * corrected) / (Math.sqrt((square[index] ?? 0) / (1 - 0.999 ** count)) + 1e-8);
    }
  }
  return { coefficients: Array.from(weights.subarray(0, size - 1)), constant: weights[size - 1] ?? 0 };
}

function gradientOf(observations: readonly Observation[], weights: Float64Array): Float64Array {
  const size = weights.length;
  const gradient = new Float64Array(size);
  for (const { inputs, attack, weight } of observations) {
    let sum = weights[size - 1] ?? 0;
    for (let index = 0; index < size - 1; index += 1) sum += (weights[index] ?? 0) * (inputs[index] ?? 0);
    const error = (1 / (1 + Math.exp(-sum)) - (attack ? 1 : 0)) * weight;
    for (let index = 0; index < size - 1; index += 1)
      gradient[index] = (gradient[index] ?? 0) + error * (inputs[index] ?? 0);
    gradient[size - 1] = (gradient[size - 1] ?? 0) + error;
  }
  return gradient;
}
