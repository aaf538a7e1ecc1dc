import type { EnvReader } from "./env-reader.ts";

/** Sampling rule of traces, from `OTEL_TRACES_SAMPLER` and its argument. */
export interface TraceSampling {
  /** Whether a caller's decision about its trace counts; other traces are sampled by their id. */
  readonly followsCaller: boolean;
  /** Share of the other traces, from 0 to 1. */
  readonly ratio: number;
}

/** Export of spans and metrics by OTLP over HTTP; the SDK reads the address itself. */
export interface OtlpExport {
  readonly sampling: TraceSampling;
}

/** Samplers of OpenTelemetry's "Environment Variable Specification"; `OTEL_TRACES_SAMPLER_ARG` has the ratio. */
const samplers = {
  always_on: { followsCaller: false, ratio: 1 },
  always_off: { followsCaller: false, ratio: 0 },
  traceidratio: { followsCaller: false, ratio: undefined },
  parentbased_always_on: { followsCaller: true, ratio: 1 },
  parentbased_always_off: { followsCaller: true, ratio: 0 },
  parentbased_traceidratio: { followsCaller: true, ratio: undefined },
} as const;
type SamplerName = keyof typeof samplers;
const samplerNames = Object.keys(samplers) as SamplerName[];

/** Reads `OTEL_EXPORTER_OTLP_ENDPOINT` and the sampler: undefined without an export. Problems are collected in `env`. */
export function readOtlpExport(env: EnvReader): OtlpExport | undefined {
  const name = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const given = env.optionalText(name);
  if (given === undefined) return undefined;
  env.url(name, given, ["http:", "https:"]);
  return { sampling: readSampling(env) };
}

/** Refuses invalid values, for which the SDK would silently record everything. */
function readSampling(env: EnvReader): TraceSampling {
  const { followsCaller, ratio } = samplers[env.oneOf("OTEL_TRACES_SAMPLER", samplerNames, "parentbased_always_on")];
  if (ratio !== undefined) return { followsCaller, ratio };
  const name = "OTEL_TRACES_SAMPLER_ARG";
  const text = env.optionalText(name) ?? "1";
  const given = Number(text);
  if (given >= 0 && given <= 1) return { followsCaller, ratio: given };
  env.problem(name, "must be a number from 0 to 1");
  return { followsCaller, ratio: 0 };
}
