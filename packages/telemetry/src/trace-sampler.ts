import type { TraceSampling } from "@gatehouse/config";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { SamplingDecision, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace-base";

/** Decides whether a trace is recorded. `byCaller` is its caller's decision; undefined for a trace that begins here. */
type IsSampled = (traceId: string, byCaller: boolean | undefined) => boolean;

/**
 * Creates a sampler that decides before a span is created: name, kind and attributes, which environment-configured samplers
 * ignore, are then not needed for unrecorded ones.
 */
export function createSampler({ followsCaller, ratio }: TraceSampling): IsSampled {
  const byId = ratio === 0 || ratio === 1 ? () => ratio === 1 : byRatio(ratio);
  return (traceId, byCaller) => (followsCaller && byCaller !== undefined ? byCaller : byId(traceId));
}

function byRatio(ratio: number): (traceId: string) => boolean {
  const sampler = new TraceIdRatioBasedSampler(ratio);
  return (traceId) => sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
}
