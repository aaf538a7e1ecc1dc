import { expect, test } from "vitest";
import { type Environment, EnvReader, readOtlpExport } from "./index.ts";

const endpoint = "http://127.0.0.1:4318";

function read(given: Environment) {
  const env = new EnvReader({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...given });
  const read = readOtlpExport(env);
  env.finish();
  return read;
}

test("nothing is exported without an address", () => {
  expect(readOtlpExport(new EnvReader({ OTEL_TRACES_SAMPLER: "no such sampler" }))).toBeUndefined();
});

test.each([
  [{}, true, 1],
  [{ OTEL_TRACES_SAMPLER: "always_on" }, false, 1],
  [{ OTEL_TRACES_SAMPLER: "always_off", OTEL_TRACES_SAMPLER_ARG: "1" }, false, 0],
  [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, true, 0],
  [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" }, false, 0.01],
  [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, true, 0],
  [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio" }, true, 1],
] as const)("%o samples: follows the caller %s, else a ratio of %d", (given, followsCaller, ratio) => {
  expect(read(given)).toEqual({ sampling: { followsCaller, ratio } });
});

test.each([
  [{ OTEL_TRACES_SAMPLER: "parent_based" }, /OTEL_TRACES_SAMPLER must be one of always_on/],
  [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0,01" }, /_ARG must be a number from 0 to 1/],
  [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "1%" }, /_ARG must be a number from 0 to 1/],
  [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "10" }, /_ARG must be a number from 0 to 1/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, /OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
])("%o is refused at the start", (given, problem) => {
  expect(() => read(given)).toThrow(problem);
});
